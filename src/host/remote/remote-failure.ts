// Tells apart why a remote did not do what git asked it for, and says what a person can do.
import { MachineFailed, Refusal } from '../../domain/refusal.ts';
import type { FinishedProcess } from '../processes/spawn.ts';

/**
 * `outage`: it may pass by itself. `missing`: the remote has no such ref. `moved`: it is not at the commit that Ralph expected.
 * `refused`: the remote answered, and only a person can change that.
 */
type RemoteFailureKind = 'outage' | 'missing' | 'moved' | 'refused';

export class RemoteFailed extends MachineFailed {
  constructor(
    readonly kind: RemoteFailureKind,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The remote did not say whether a landing arrived. The session must stay open until Ralph can look: this is no MachineFailed, which
 * would give its task to another session.
 */
export class Undecided extends Refusal {}

type RemoteSubject = {
  name: string;
  /** What git was asked about, such as `refs/heads/main`. */
  ref: string;
};

/** What git's own protocol for scripts says of a rejected ref. */
const REJECTED = /^!\t\S*\t\[[^\]]*\] ?(?:\((.*)\))?$/m;

const MOVED =
  /stale info|fetch first|non-fast-forward|needs force|incorrect old value|is at \w+ but expected/;
/** Another push held the ref at that moment, or a killed one left its lock. */
const LOCKED = /cannot lock ref|failed to (?:update|lock)/;
/** Git cannot have both a branch `ralph` and a branch `ralph/task-1`. */
const TAKEN = /directory file conflict|exists; cannot create/;
/** Also of a commit that the remote has no more, or does not give out. */
const NO_REF = /couldn't find remote ref|not our ref|unadvertised object/i;
const NO_SPACE = /no space left|disk quota|unpacker error|unpack failed|file too large/i;
const NO_PROTOCOL = /transport '[^']*' not allowed|unable to find remote helper/i;
const NO_REPOSITORY = /does not appear to be a git repository|repository .*not found|no such remote/i;
const NO_NETWORK =
  /could not resolve|connection (?:refused|timed out|reset|closed)|network is unreachable|no route to host|failed to connect|timed out|early eof|hung up|unexpected disconnect|rpc failed|returned error: (?:5\d\d|429)|broken pipe/i;
const NO_ACCESS =
  /authentication failed|could not read (?:username|password)|permission denied|access denied|returned error: 40[13]|host key verification failed|could not read from remote|not authorized|terminal prompts disabled/i;

/** `ended`: a git process that did not succeed. */
export function explainFailure(ended: FinishedProcess, { name, ref }: RemoteSubject): RemoteFailed {
  const { stdout, stderr, signal } = ended;
  const because = `(${firstReason(ended)})`;
  const branch = ref.replace('refs/heads/', '');
  const rejected = REJECTED.exec(stdout);
  if (NO_REF.test(stderr))
    return new RemoteFailed(
      'missing',
      `The remote ${name} has no branch ${branch}; push it with git push ${name} ${branch}, or name another as land.branch.`,
    );
  if (NO_SPACE.test(stderr) || NO_SPACE.test(stdout))
    return new RemoteFailed(
      'refused',
      `The remote ${name} cannot store the work ${because}; make room there.`,
    );
  if (rejected !== null) return explainRejection(`${rejected[1] ?? ''} ${stderr}`, because, { name, ref });
  if (signal !== null)
    return new RemoteFailed('outage', `Git was ended by ${signal} while it spoke to the remote ${name}.`);
  if (NO_PROTOCOL.test(stderr))
    return new RemoteFailed(
      'refused',
      `Ralph does not use the address of the remote ${name} ${because}; give it an ssh, https, git or file address with git remote set-url.`,
    );
  if (NO_NETWORK.test(stderr))
    return new RemoteFailed('outage', `The remote ${name} cannot be reached ${because}.`);
  if (NO_REPOSITORY.test(stderr))
    return new RemoteFailed(
      'outage',
      `The address of the remote ${name} leads to no repository ${because}; look at it with git remote -v.`,
    );
  if (NO_ACCESS.test(stderr))
    return new RemoteFailed(
      'refused',
      `Git may not use the remote ${name} ${because}; log in with an ssh key or a credential helper of your global git configuration.`,
    );
  return new RemoteFailed('outage', `Git could not use the remote ${name} ${because}.`);
}

function explainRejection(reason: string, because: string, { name, ref }: RemoteSubject): RemoteFailed {
  if (MOVED.test(reason))
    return new RemoteFailed('moved', `The remote ${name} moved ${ref} meanwhile; run ralph run again.`);
  if (TAKEN.test(reason))
    return new RemoteFailed(
      'refused',
      `The remote ${name} has a branch whose name is a part of ${ref} ${because}; rename that branch there.`,
    );
  if (LOCKED.test(reason))
    return new RemoteFailed('outage', `The remote ${name} could not move ${ref} ${because}.`);
  return ref.startsWith('refs/heads/')
    ? new RemoteFailed('refused', `The remote ${name} refuses ${ref} ${because}; allow Ralph to push there.`)
    : new RemoteFailed(
        'refused',
        `The remote ${name} refuses refs like ${ref} ${because}; set refs: refs/heads/ralph/ below land: in .ralph/config.yaml.`,
      );
}

/** The remote's own words first: a hook says there what it wants. Without the password that an address may hold. */
function firstReason({ stdout, stderr }: FinishedProcess): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  const serverLine = lines.find((line) => /^remote: \S/.test(line));
  const own = lines.find(
    (line) => /^(?:fatal|error|ssh):/.test(line) && !/failed to push some refs/.test(line),
  );
  const reason = serverLine ?? own ?? REJECTED.exec(stdout)?.[1] ?? lines.find((line) => line !== '') ?? '';
  return reason.replace(/\/\/[^/@\s]*@/g, '//').slice(0, 300) || 'it gave no reason';
}
