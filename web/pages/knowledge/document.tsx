import { useEffect, useRef } from 'preact/hooks';
import { visible } from '../../../src/domain/text/text.ts';
import type { DocumentView } from '../../../src/ui/views/feature.ts';
import { go, withQuery } from '../../navigation.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/labels.tsx';
import { useView } from '../../view.ts';

/** `place`: a path, with the number of a line behind it where something was found. */
export function DocumentDialog({ place }: { place: string }) {
  const [, path = place, line] = /^(.*?)(?::(\d+))?$/s.exec(place) ?? [];
  const { value, error } = useView<DocumentView>(
    `/api/document?${new URLSearchParams({ path })}`,
    () => false,
  );
  const found = useRef<HTMLElement>(null);
  useEffect(() => found.current?.scrollIntoView({ block: 'center' }), [value]);
  const lines = value?.text.split('\n') ?? [];
  const at = line === undefined ? lines.length : Number(line) - 1;
  return (
    <Dialog title={path} onClose={() => go(withQuery({ file: '' }), { replace: true })}>
      <Problem sentence={error} />
      {value !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it.
        <pre class="document" tabIndex={0}>
          {visible(lines.slice(0, at).join('\n'))}
          {at < lines.length && (
            <mark ref={found}>{visible(`${at > 0 ? '\n' : ''}${lines[at] || ' '}`)}</mark>
          )}
          {at + 1 < lines.length && visible(`\n${lines.slice(at + 1).join('\n')}`)}
        </pre>
      )}
    </Dialog>
  );
}
