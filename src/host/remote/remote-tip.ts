// The tip of the trunk on the remote: fetched before work begins and before it lands, and moved by a push that expects the old tip.
import { git, isAncestor } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { dropRefs } from '../git/refs.ts';
import { type NetworkGit, withNetwork } from './network-git.ts';
import { type Remote, waitOutOutages } from './remote.ts';
import { explainFailure, RemoteFailed, Undecided } from './remote-failure.ts';

export type RemoteTip = {
  remote: Remote;
  /** The branch on the remote, such as `refs/heads/main`. */
  target: string;
  /** Where the person's repository keeps what it knows of it, such as `refs/remotes/origin/main`. */
  tracking: string;
};

export const FETCH = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
export const PUSH = ['push', '--porcelain', '--no-verify', '--no-follow-tags', '--no-signed'];

/** `known`: the commit that the tracking ref is at, if there is one. Moves the tracking ref, also where the branch was rewritten. */
export const fetchTip = (place: Place, at: RemoteTip, known: string | null): Promise<string> =>
  waitOutOutages(at.remote, () => fetchOnce(place, at, known));

/** `near`: a commit that both sides have. */
const fetchOnce = (
  place: Place,
  { remote, target, tracking }: RemoteTip,
  known: string | null,
  near: string | null = known,
) =>
  // Until the ref holds what was fetched.
  holdingOffGc(place, () =>
    withNetwork(place, near === null ? [] : [near], async (network) => {
      const tip = await fetchInto(network, remote, target);
      if (tip !== known) await git(place, ['update-ref', '-m', 'ralph: fetch', tracking, tip]);
      return tip;
    }),
  );

async function fetchInto(network: NetworkGit, { name, stop }: Remote, ref: string): Promise<string> {
  const ended = await network.run([...FETCH, name, `+${ref}:refs/fetched/0`], stop);
  const commit = await network.fetched('0');
  if (ended.code !== 0 || commit === null) throw explainFailure(ended, { name, ref });
  return commit;
}

/**
 * False if the target is not at `from` any more. If the answer to the push was lost, the remote decides: Ralph looks. If it cannot
 * look either, it does not know, and says so.
 */
export async function pushTip(
  place: Place,
  at: RemoteTip,
  /** `from`: null if the remote has no such branch yet. */
  { from, to }: { from: string | null; to: string },
): Promise<boolean> {
  const { remote, target, tracking } = at;
  const { name } = remote;
  let mayHaveArrived = false;
  try {
    return await waitOutOutages(remote, async () => {
      const ended = await withNetwork(place, [], ({ run }) =>
        // A person who wants everything ended now need not wait for a push that stalls: the next run looks whether it arrived.
        run([...PUSH, `--force-with-lease=${target}:${from ?? ''}`, name, `${to}:${target}`], remote.stop),
      );
      if (ended.code === 0) {
        // It has landed, and no later failure may undo that. The next fetch moves the ref as well.
        await git(place, ['update-ref', '-m', 'ralph: push', tracking, to]).catch(() => {});
        return true;
      }
      const failure = explainFailure(ended, { name, ref: target });
      if (failure.kind === 'refused') throw failure;
      if (failure.kind === 'outage') mayHaveArrived = true;
      if (await isOn(place, at, to, from)) return true;
      // The remote may still be at work on a push whose answer was lost, so the same push is tried again.
      if (failure.kind === 'outage') throw failure;
      return false;
    });
  } catch (error) {
    if (!mayHaveArrived || !(error instanceof RemoteFailed)) throw error;
    const hasLanded = await isOn(place, at, to, from).catch(() => null);
    if (hasLanded !== null) {
      if (hasLanded) return true;
      throw error;
    }
    throw new Undecided(
      `${error.message} So Ralph does not know yet whether its last push arrived; run ralph run when the remote answers, and it looks and goes on.`,
    );
  }
}

/** Whether the target has the commit, maybe below others. */
async function isOn(place: Place, at: RemoteTip, commit: string, known: string | null): Promise<boolean> {
  const tip = await unlessMissing(fetchOnce(place, at, known));
  return tip !== null && (tip === commit || (await isAncestor(place, commit, tip)));
}

const unlessMissing = (fetching: Promise<string>): Promise<string | null> =>
  fetching.catch((error: unknown) => {
    if (error instanceof RemoteFailed && error.kind === 'missing') return null;
    throw error;
  });

/** The head of a branch; null if the remote has no such branch. `near`: a commit that both sides have. */
export const fetchBranch = (place: Place, at: RemoteTip, near: string | null): Promise<string | null> =>
  waitOutOutages(at.remote, async () => {
    const head = await unlessMissing(fetchOnce(place, at, null, near));
    if (head === null) await dropRefs(place, [at.tracking]);
    return head;
  });

/** The names of the remote's branches that begin so. */
export const listBranches = (place: Place, remote: Remote, prefix: string): Promise<string[]> =>
  waitOutOutages(remote, async () => {
    const { name } = remote;
    const pattern = `${HEADS}${prefix}*`;
    const ended = await withNetwork(place, [], ({ run }) =>
      run(['ls-remote', '--quiet', '--refs', name, pattern], remote.stop),
    );
    if (ended.code !== 0) throw explainFailure(ended, { name, ref: pattern });
    return ended.stdout.split('\n').flatMap((line) => {
      const ref = line.split('\t')[1] ?? '';
      return ref.startsWith(HEADS) ? [ref.slice(HEADS.length)] : [];
    });
  });

const HEADS = 'refs/heads/';
