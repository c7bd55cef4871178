import { useRef } from 'preact/hooks';
import { plural, visible } from '../../../src/domain/text/text.ts';
import type { Known } from '../../../src/queue/tasks/features.ts';
import type { KnowledgeView } from '../../../src/ui/views/knowledge.ts';
import { useKeys } from '../../keys.ts';
import { currentUrl, go, withQuery } from '../../navigation.ts';
import { Problem, Text } from '../../parts/labels.tsx';
import { useView } from '../../view.ts';
import { DocumentDialog } from './document.tsx';
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

type LinkProps = { href: string; name: string; status?: string; counts: Known; isOpen: boolean };

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
