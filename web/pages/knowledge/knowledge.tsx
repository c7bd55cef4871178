import { useEffect, useRef } from 'preact/hooks';
import { plural, visible } from '../../../src/domain/text/text.ts';
import type { FeatureProgress } from '../../../src/queue/tasks/features.ts';
import type { DocumentView } from '../../../src/ui/views/feature.ts';
import type { KnowledgeView } from '../../../src/ui/views/knowledge.ts';
import { useKeys } from '../../keys.tsx';
import { currentUrl, go, withQuery } from '../../navigation.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem, Text } from '../../parts/labels.tsx';
import { useView } from '../../view.ts';
import { FeaturePane } from './feature.tsx';
import { SearchResults } from './search.tsx';

/** The address says what is open: ?feature=auth, or the whole project; ?q=words; ?file=docs/auth.md. */
export function KnowledgePage() {
  const { value, error } = useView<KnowledgeView>('/api/knowledge', ({ kind }) =>
    /^(feature|task|learning)\./.test(kind),
  );
  const query = currentUrl.value.searchParams;
  const [feature, words, file] = [query.get('feature'), query.get('q') ?? '', query.get('file')];
  const opened = value?.features.find(({ name }) => name === feature);
  return (
    <>
      <h1>Knowledge</h1>
      <SearchForm key={words} words={words} within={opened?.display_name ?? feature} />
      <Problem sentence={error} />
      <div class="knowledge">
        {value !== null && <FeatureList view={value} opened={feature} />}
        <div class="opened">
          {words === '' ? (
            <FeaturePane key={feature} name={feature} counts={feature === null ? value?.project : opened} />
          ) : (
            <SearchResults words={words} feature={feature} />
          )}
        </div>
      </div>
      {file !== null && <DocumentDialog key={file} target={file} />}
    </>
  );
}

function SearchForm({ words, within }: { words: string; within: string | null }) {
  const input = useRef<HTMLInputElement>(null);
  useKeys([{ keys: '/', does: 'search the knowledge', run: () => input.current?.focus() }]);
  const label = within === null ? 'Search in everything' : `Search in ${visible(within)}`;
  return (
    <search>
      <form
        class="find"
        onSubmit={(event) => {
          event.preventDefault();
          go(withQuery({ q: input.current?.value.trim() ?? '', file: '' }));
        }}
      >
        <input
          ref={input}
          type="search"
          aria-label={label}
          placeholder={`${label}: learnings, definitions, documents, journal`}
          defaultValue={words}
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

type ListProps = { view: KnowledgeView; opened: string | null };

function FeatureList({ view: { features, project }, opened }: ListProps) {
  return (
    <nav class="features" aria-label="Features">
      <FeatureLink href="/knowledge" name="Whole project" counts={project} isOpen={opened === null} />
      {features.map(({ name, display_name, status, ...counts }) => (
        <FeatureLink
          key={name}
          href={`/knowledge?${new URLSearchParams({ feature: name })}`}
          name={display_name ?? name}
          status={status}
          counts={counts}
          isOpen={opened === name}
        />
      ))}
    </nav>
  );
}

type LinkProps = { href: string; name: string; status?: string; counts: FeatureProgress; isOpen: boolean };

const FeatureLink = ({ href, name, status, counts, isOpen }: LinkProps) => (
  <a href={href} aria-current={isOpen ? 'true' : undefined}>
    <span class="name">
      <Text>{name}</Text>
    </span>
    <span class="aside">
      {status !== undefined && `${status} · `}
      {counts.done + counts.open > 0 && `${counts.done} of ${plural(counts.done + counts.open, 'task')} · `}
      {plural(counts.learnings, 'learning')}
    </span>
  </a>
);

/** `target`: a path, followed by a colon and a line number where a search has found something. */
function DocumentDialog({ target }: { target: string }) {
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
