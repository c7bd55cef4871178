import type { PullSummary } from '../../src/domain/pull-requests/pull-request.ts';
import { Text } from './labels.tsx';

/** To another site, which must not learn where it was followed from. */
export function PullLink({ pull: { number, url, branch } }: { pull: PullSummary }) {
  if (number === null)
    return (
      <>
        the pull request of branch{' '}
        <code>
          <Text>{branch}</Text>
        </code>
      </>
    );
  const name = `pull request #${number}`;
  if (!url) return <>{name}</>;
  return (
    <a href={url} rel="noreferrer noopener" target="_blank">
      {name}
    </a>
  );
}
