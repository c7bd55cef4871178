import { plural } from '../../../src/domain/text/text.ts';
import type { Hit, SearchView } from '../../../src/ui/views/search.ts';
import { withQuery } from '../../navigation.ts';
import { Empty, Problem, Text } from '../../parts/labels.tsx';
import { useView } from '../../view.ts';

export function SearchResults({ words, feature }: { words: string; feature: string | null }) {
  const query = new URLSearchParams({ q: words, ...(feature !== null && { feature }) });
  const { value, error } = useView<SearchView>(`/api/search?${query}`, ({ kind }) =>
    /^(learning|feature|discipline|task)\.|^session\.ended/.test(kind),
  );
  return (
    <section aria-labelledby="found" aria-busy={value === null && error === null}>
      <h2 id="found">
        Found for “<Text>{words}</Text>”
      </h2>
      <p class="buttons">
        {feature !== null && <a href={withQuery({ feature: '' })}>Search in everything</a>}
        <a href={withQuery({ q: '' })}>Close the search</a>
      </p>
      <Problem sentence={error} />
      {value?.found.length === 0 && (
        <Empty>Nothing was found. One matching word is enough; try others.</Empty>
      )}
      {value !== null && value.found.length > 0 && (
        <>
          <p class="aside" role="status">
            {plural(value.found.length, 'result')}, the best first
          </p>
          <ol class="hits">
            {value.found.map((hit) => (
              <SearchHit key={`${hit.kind} ${hit.ref}`} hit={hit} />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function SearchHit({ hit: { kind, ref, title, href, parts } }: { hit: Hit }) {
  const name = kind === 'document' ? ref : title;
  return (
    <li>
      <span class="kind">{kind}</span>{' '}
      {href === null ? (
        <Text>{name}</Text>
      ) : (
        // A document opens over the results, so that closing it shows them again.
        <a href={kind === 'document' ? withQuery({ file: ref }) : href}>
          <Text>{kind === 'learning' ? `${ref}, ${title}` : name}</Text>
        </a>
      )}
      <p>
        {parts.map(({ text, isFound }, index) =>
          isFound ? (
            <mark key={index}>
              <Text>{text}</Text>
            </mark>
          ) : (
            <Text key={index}>{text}</Text>
          ),
        )}
      </p>
    </li>
  );
}
