import { Option } from 'commander';
import { requirePerson } from '../../../app/definitions/consent.ts';
import { withProject, withQueue } from '../../../app/open-project.ts';
import type { InferredDependency } from '../../../domain/planning/infer-dependencies.ts';
import type { Task } from '../../../domain/tasks/task.ts';
import { readConfig } from '../../../project/read-config.ts';
import { missingDependencies } from '../../../queue/planning/read-proposal.ts';
import { verifyEvidence } from '../../../queue/sessions/verify-evidence.ts';
import { decideDrafts } from '../../../queue/tasks/decide.ts';
import { draftIds, publicTask } from '../../../queue/tasks/list.ts';
import { missingText, NO_DISCIPLINE } from '../../../text/proposal-text.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { defineCommand, Misuse } from '../../command.ts';
import { collectIds, optionalTaskIds } from '../../parse.ts';

type ApproveOptions = {
  all?: boolean;
  feature?: string;
  drop?: number[];
  files?: boolean;
  addDependencies?: boolean;
  definitions?: string | true;
  reject?: boolean;
  yes?: boolean;
};

export const approve = defineCommand<[ids: number[] | undefined], ApproveOptions>({
  name: 'approve',
  summary:
    'queue or drop drafts, or accept a "done" that lacks a change or a proof; without numbers, ask about each draft',
  group: 'Decide',
  args: [optionalTaskIds('numbers of drafts, or of tasks that ask to be accepted as done')],
  options: [
    new Option('--all', 'all drafts'),
    new Option('--feature <name>', 'all drafts of this feature'),
    new Option('--drop <ids...>', 'numbers of drafts to drop').argParser(collectIds),
    new Option('--add-dependencies', 'add the dependencies that the drafts seem to lack'),
    new Option(
      '--files',
      'instead of drafts: add files that the sessions of a feature touch often to its context files',
    ),
    new Option(
      '--definitions [session]',
      'instead of drafts: look at changes below .ralph that sessions made, and take them over',
    ),
    new Option('--reject', 'with --definitions: drop the change instead'),
    new Option('--yes', 'with --definitions: do not ask; only while no run is at work'),
  ],
  examples: [
    'ralph approve',
    'ralph approve --definitions',
    'ralph approve --definitions 3f2a1b2c --reject',
    'ralph approve 8 9 --drop 10',
    'ralph approve --feature orders',
    'ralph approve --all --add-dependencies',
    'ralph approve --files',
  ],
  run: (context, [ids = []], options) => {
    const { definitions: name, reject = false, yes = false } = options;
    if (name === undefined && (reject || yes)) throw new Misuse('--reject and --yes are for --definitions.');
    if (name !== undefined)
      // Also while the definitions are wrong: the change may be the repair.
      return withQueue(context, async (project) => {
        const { decideDefinitions } = await import('../../decide/approve-definitions.ts');
        return decideDefinitions(context, project, { name, reject, yes });
      });
    return withProject(context, async (project) => {
      await requirePerson(context, project, 'decides about drafts');
      const { queue, root } = project;
      const { all = false, feature, drop: dropped = [], files = false } = options;
      if (files) {
        if (all || ids.length > 0 || dropped.length > 0)
          throw new Misuse('--files is about files; give no drafts with it, only --feature NAME.');
        const { approveFiles } = await import('../../decide/approve-files.ts');
        return approveFiles(project, feature);
      }
      if (ids.length > 0 && (all || feature !== undefined))
        throw new Misuse('Give numbers of drafts, or --all, or --feature; not both.');
      const verify = (await readConfig(root)).verify_feature;
      if (ids.length === 0 && dropped.length === 0 && !all && feature === undefined) {
        const { ask } = context.terminal;
        if (ask === null || context.asJson)
          throw new Misuse('Say which drafts: ralph approve 8 9, or --all, or --feature NAME.');
        const { askAboutDrafts } = await import('../../decide/ask-about-drafts.ts');
        return askAboutDrafts({ ...context, queue, verify, ask });
      }
      const candidates = all || feature !== undefined ? await draftIds(queue, feature) : ids;
      const wanted = candidates.filter((id) => !dropped.includes(id) || ids.includes(id));
      const missing = await missingDependencies(queue, wanted);
      const dependencies = options.addDependencies ? missing : [];
      const { unproven } = await verifyEvidence(queue);
      const decided = await decideDrafts(queue, { queued: wanted, dropped, verify, dependencies });
      const tasks = decided.map(publicTask);
      const lines = [
        ...tasks.map((task) => (unproven.includes(task.id) ? vouchedLine(task) : decisionLine(task))),
        ...editHint(tasks),
        ...(missing.length === dependencies.length
          ? []
          : [missingText(missing), ...addLines(missing, tasks)]),
      ];
      return { json: tasks, text: lines.join('\n') || 'There are no drafts.' };
    });
  },
});

const vouchedLine = ({ id, title }: Task): string =>
  `Accepted #${id} ${oneLine(title)}: it is done because you say so.`;

export function decisionLine(task: Task): string {
  const name = `#${task.id} ${oneLine(task.title)}`;
  if (task.status === 'done') return `Accepted ${name}: it is done without a change.`;
  if (task.status === 'skipped') return `Dropped ${name}.`;
  return `Queued ${name}${task.discipline === null ? ` [${NO_DISCIPLINE}]` : ''}.`;
}

/** A session of a task without a discipline has no persona, conventions or tools of its own. */
export function editHint(tasks: readonly Task[]): string[] {
  const bare = tasks.find(({ status, discipline }) => status === 'pending' && discipline === null);
  return bare === undefined ? [] : [`Give a task its discipline: ralph edit ${bare.id} --discipline NAME`];
}

/** What a person types to add the missing dependencies, keeping the others. */
function addLines(missing: readonly InferredDependency[], tasks: readonly Task[]): string[] {
  return tasks.flatMap(({ id, depends_on }) => {
    const more = missing.filter(({ task_id }) => task_id === id).map((one) => one.depends_on);
    return more.length === 0
      ? []
      : [`Add: ralph edit ${id} --depends-on ${[...depends_on, ...more].join(',')}`];
  });
}
