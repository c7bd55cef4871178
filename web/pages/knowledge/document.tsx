import { useEffect, useRef } from 'preact/hooks';
import { visible } from '../../../src/domain/text/text.ts';
import type { DocumentView } from '../../../src/ui/views/feature.ts';
import { go, withQuery } from '../../navigation.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/labels.tsx';
import { useView } from '../../view.ts';

/** `target`: a path, followed by a colon and a line number where a search has found something. */
export function DocumentDialog({ target }: { target: string }) {
  const [, path = target, line] = /^(.*?)(?::(\d+))?$/s.exec(target) ?? [];
  const { value, error } = useView<DocumentView>(
    `/api/document?${new URLSearchParams({ path })}`,
    () => false,
  );
  const mark = useRef<HTMLElement>(null);
  useEffect(() => mark.current?.scrollIntoView({ block: 'center' }), [value]);
  const lines = value?.text.split('\n') ?? [];
  const at = line === undefined ? lines.length : Number(line) - 1;
  return (
    <Dialog title={path} onClose={() => go(withQuery({ file: '' }), { replace: true })}>
      <Problem sentence={error} />
      {value !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it.
        <pre class="document" tabIndex={0}>
          {visible(lines.slice(0, at).join('\n'))}
          {at < lines.length && <mark ref={mark}>{visible(`${at > 0 ? '\n' : ''}${lines[at] || ' '}`)}</mark>}
          {at + 1 < lines.length && visible(`\n${lines.slice(at + 1).join('\n')}`)}
        </pre>
      )}
    </Dialog>
  );
}
