// Work that is not finished, as refs on the remote: another machine goes on from it when this one is gone. The remote's refs have the
// same names as those of the person's repository, below the folder that the configuration names.
import { git } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { withNetwork } from './network-git.ts';
import { type MeetingPlace, waitOutOutages } from './remote.ts';
import { explainFailure } from './remote-failure.ts';
import { FETCH, PUSH } from './remote-tip.ts';

const OWN = 'refs/ralph/';

const remoteRef = ({ refs }: MeetingPlace, ref: string): string => `${refs}${ref.slice(OWN.length)}`;

/** Replaces what the remote has there. */
export const publishRef = (
  place: Place,
  remote: MeetingPlace,
  { ref, commit }: { ref: string; commit: string },
): Promise<void> =>
  waitOutOutages(remote, async () => {
    const { name } = remote;
    const there = remoteRef(remote, ref);
    const ended = await withNetwork(place, [], ({ run }) => run([...PUSH, name, `+${commit}:${there}`]));
    if (ended.code !== 0) throw explainFailure(ended, { name, ref: there });
  });

/** Brings a ref of the remote into the person's repository; null if the remote has none. `known`: a commit that both have. */
export const fetchRef = (
  place: Place,
  remote: MeetingPlace,
  { ref, known }: { ref: string; known: string | null },
): Promise<string | null> =>
  waitOutOutages(remote, () =>
    holdingOffGc(place, () =>
      withNetwork(place, known === null ? [] : [known], async ({ run, fetched }) => {
        const there = remoteRef(remote, ref);
        const ended = await run([...FETCH, remote.name, `+${there}:refs/fetched/0`], remote.stop);
        const commit = await fetched('0');
        if (ended.code !== 0 || commit === null) {
          const failure = explainFailure(ended, { name: remote.name, ref: there });
          if (failure.kind === 'missing') return null;
          throw failure;
        }
        await git(place, ['update-ref', ref, commit]);
        return commit;
      }),
    ),
  );

/** Those of Ralph's refs that the remote has, by the names that they have here. */
export const listPublished = (
  place: Place,
  remote: MeetingPlace,
  patterns: readonly string[],
): Promise<string[]> =>
  waitOutOutages(remote, async () => {
    const { name, refs } = remote;
    const ended = await withNetwork(place, [], ({ run }) =>
      run(
        ['ls-remote', '--quiet', '--refs', name, ...patterns.map((ref) => remoteRef(remote, ref))],
        remote.stop,
      ),
    );
    if (ended.code !== 0) throw explainFailure(ended, { name, ref: refs });
    return ended.stdout.split('\n').flatMap((line) => {
      const ref = line.split('\t')[1] ?? '';
      return ref.startsWith(refs) ? [`${OWN}${ref.slice(refs.length)}`] : [];
    });
  });

/** Git refuses to remove a ref that is not there, so Ralph asks first. */
export async function dropPublished(
  place: Place,
  remote: MeetingPlace,
  refs: readonly string[],
): Promise<void> {
  const there = refs.length === 0 ? [] : await listPublished(place, remote, refs);
  if (there.length === 0) return;
  const names = there.map((ref) => `:${remoteRef(remote, ref)}`);
  const ended = await withNetwork(place, [], ({ run }) => run([...PUSH, remote.name, ...names]));
  if (ended.code !== 0) throw explainFailure(ended, { name: remote.name, ref: remote.refs });
}
