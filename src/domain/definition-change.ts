// Changes of files below `.ralph` that no person has made or accepted yet: a proposal of a session.

/** The content before and after as text; null where there is no file. */
export type DefinitionChange = { path: string; before: string | null; after: string | null };

export type DefinitionProposal = {
  /** Null if Ralph cannot tell who changed the files of the checkout: agents were at work, and they can write there. */
  session_id: string | null;
  task_id: number | null;
  at: number;
  changes: readonly DefinitionChange[];
};

/** How people name it. */
const CHECKOUT = 'checkout';
export const proposalName = ({ session_id }: Pick<DefinitionProposal, 'session_id'>): string =>
  session_id?.slice(0, 8) ?? CHECKOUT;

export const proposalFiles = ({ changes }: Pick<DefinitionProposal, 'changes'>): string =>
  changes.map(({ path }) => path).join(', ');

/** What the person reads about it, without the command. */
export const proposalText = (proposal: DefinitionProposal): string =>
  proposal.session_id === null
    ? `${proposalFiles(proposal)} changed while agents were at work`
    : `${proposal.task_id === null ? 'a session' : `#${proposal.task_id}`} proposes a change of ${proposalFiles(proposal)}`;

/** Ralph adds a line to it for every done, and prompts show the newest lines. */
export const PROGRESS_FILE = '.ralph/progress.txt';

/** Folders that Ralph itself writes, and its files of progress. */
const RALPHS = /^\.ralph\/(?:(?:state|memory)\/|progress(?:\.old)?\.txt$)/;

/** Whether the path, relative to the project, is a file of the person that sessions must not change. */
export const isPersonsDefinition = (path: string): boolean =>
  path.startsWith('.ralph/') && !path.split('/').includes('..') && !RALPHS.test(path);

/** Whether a change of the file in the checkout waits for the person, if agents were at work. */
export const isHeldFile = (path: string): boolean => isPersonsDefinition(path) || path === PROGRESS_FILE;
