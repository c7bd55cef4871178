import { Argument, Option } from 'commander';
import { requirePerson } from '../../../app/definitions/consent.ts';
import { type Project, withProject } from '../../../app/open-project.ts';
import type { CommandContext, Output } from '../../../app/world.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { LEARNING_KINDS, LEARNING_SCOPES } from '../../../domain/sessions/signal.ts';
import { closestName, didYouMean } from '../../../domain/text/did-you-mean.ts';
import { learn as keep } from '../../../queue/learnings/learn.ts';
import {
  approveLearning,
  archiveLearning,
  editLearning,
  type Learning,
  listLearnings,
  removeLearning,
  restoreLearning,
  showLearning,
} from '../../../queue/learnings/learnings.ts';
import {
  approvedMessage,
  archivedMessage,
  editedMessage,
  learnedMessage,
  learningTable,
  learningText,
  removedMessage,
  restoredMessage,
} from '../../../text/learning-text.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { wrap } from '../../../text/terminal/wrap.ts';
import { defineCommand, Misuse } from '../../command.ts';
import { parseId } from '../../parse.ts';

type LearnOptions = {
  feature?: string;
  kind?: Learning['category'];
  why?: string;
  scope?: Learning['scope'];
  stats?: boolean;
  archived?: boolean;
  unproven?: boolean;
  run?: number;
  limit: number;
};

export const learn = defineCommand<
  [what: string, id: number | undefined, text: string | undefined],
  LearnOptions
>({
  name: 'learn',
  summary: 'teach later sessions a fact, or manage what they learned',
  group: 'Decide',
  args: [
    new Argument('<text>', 'the fact; or one of: list, show, edit, approve, remove, archive, restore'),
    new Argument('[learning]', 'number of the learning').argParser(parseId),
    new Argument('[new-text]', 'for edit: what it should say'),
  ],
  options: [
    new Option('--feature <name>', 'feature that it is about; without one, it holds for the whole project'),
    new Option('--kind <kind>', 'kind of knowledge').choices(LEARNING_KINDS),
    new Option('--why <text>', 'the reason'),
    new Option('--scope <scope>', 'where it holds').choices(
      LEARNING_SCOPES.filter((scope) => scope !== 'task'),
    ),
    new Option(
      '--stats',
      'list: show how many sessions got each learning, and how many of them passed at the first try',
    ),
    new Option('--archived', 'list: the archived ones, which are in no prompt'),
    new Option(
      '--unproven',
      'list: those that wait for a gate or for you, and are in no prompt of another task',
    ),
    new Option('--run <n>', 'list: only what the sessions of this run learned').argParser(parseId),
    new Option('--limit <n>', 'list at most this many').argParser(parseId).default(200),
  ],
  examples: [
    'ralph learn "Run the tests with NODE_ENV=test, or mails are sent" --kind gotcha',
    'ralph learn "All amounts are in cents" --feature billing --why "the bank wants it"',
    'ralph learn list --stats',
    'ralph learn edit 12 "Amounts are in cents, as integers"',
    'ralph learn archive 12',
    'ralph learn list --unproven',
    'ralph learn approve 12',
  ],
  run: (context, [what, id, text], options) =>
    withProject(context, async (project) => {
      if (what !== 'list' && what !== 'show')
        await requirePerson(context, project, 'changes what was learned');
      const act = Object.hasOwn(ACTIONS, what) ? ACTIONS[what] : undefined;
      if (act !== undefined) {
        if (text !== undefined && what !== 'edit') throw new Misuse(`ralph learn ${what} takes one number.`);
        return act({ context, project, id, text, options });
      }
      // A single word is not a fact: it is probably a mistyped action.
      if (id !== undefined || closestName(what, Object.keys(ACTIONS)) !== null)
        throw new Misuse(
          `"${what}" is none of ${Object.keys(ACTIONS).join(', ')}${didYouMean(what, Object.keys(ACTIONS)) || '.'}`,
        );
      return teach(context, project, what, options);
    }),
});

type Call = {
  context: CommandContext;
  project: Project;
  id: number | undefined;
  text: string | undefined;
  options: LearnOptions;
};

const ACTIONS: Readonly<Record<string, (call: Call) => Promise<Output>>> = {
  list: async ({
    context,
    project: { queue },
    options: { feature, run, archived, unproven, limit, stats = false },
  }) => {
    const filter = {
      ...(feature !== undefined && { feature }),
      ...(run !== undefined && { run_id: run }),
      ...(archived && { archived }),
      ...(unproven && { proven: false }),
    };
    const found = await listLearnings(queue, filter, limit);
    return { json: found.learnings, text: learningTable(found, { ...filter, stats }, context) };
  },
  show: async ({ context, project: { queue }, id }) => {
    const details = await showLearning(queue, requireNumber(id));
    const { learning, ...rest } = details;
    return { json: { ...learning, ...rest }, text: learningText(details, context) };
  },
  edit: async ({ project: { queue }, id, text, options: { kind, why } }) => {
    const edit = {
      ...(text !== undefined && { body: text }),
      ...(kind !== undefined && { category: kind }),
      ...(why !== undefined && { reason: why || null }),
    };
    if (Object.keys(edit).length === 0) throw new Refusal('Say what to change: a new text, --kind or --why.');
    const learning = await editLearning(queue, requireNumber(id), edit);
    return { json: learning, text: oneLine(editedMessage(learning)) };
  },
  approve: ({ project: { queue }, id }) =>
    reportChange(approveLearning(queue, requireNumber(id)), approvedMessage),
  remove: ({ project: { queue }, id }) =>
    reportChange(removeLearning(queue, requireNumber(id)), removedMessage),
  archive: ({ project: { queue }, id }) =>
    reportChange(archiveLearning(queue, requireNumber(id)), archivedMessage),
  restore: ({ project: { queue }, id }) =>
    reportChange(restoreLearning(queue, requireNumber(id)), restoredMessage),
};

function requireNumber(id: number | undefined): number {
  if (id === undefined) throw new Refusal('Give the number of a learning; ralph learn list shows them.');
  return id;
}

async function reportChange(
  change: Promise<Learning>,
  sentence: (learning: Learning) => string,
): Promise<Output> {
  const learning = await change;
  return { json: learning, text: sentence(learning) };
}

async function teach(
  { terminal }: CommandContext,
  { queue }: Project,
  text: string,
  options: LearnOptions,
): Promise<Output> {
  const { feature = null, kind = 'discovery', why = null } = options;
  const scope = options.scope ?? (feature === null ? 'project' : 'feature');
  if (scope === 'feature' && feature === null) throw new Misuse('Name the feature: --feature NAME.');
  if (scope === 'project' && feature !== null)
    throw new Misuse('Give --feature or --scope project, not both.');
  const result = await keep(queue, {
    feature,
    scope,
    category: kind,
    body: text,
    reason: why,
    discipline: null,
    author: 'person',
  });
  const { learning } = await showLearning(queue, result.id);
  return {
    json: { ...learning, kept: result.as },
    text: wrap(learnedMessage(result, learning), terminal.columns),
  };
}
