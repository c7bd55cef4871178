import { basename } from 'node:path';
import { z } from 'zod';
import { agentNames } from '../../domain/sessions/choose-agent.ts';
import type { Run } from '../../domain/sessions/session.ts';
import type { Discipline } from '../../domain/tasks/discipline.ts';
import type { Feature } from '../../domain/tasks/feature.ts';
import { isOpenBlocker } from '../../domain/tasks/flag.ts';
import type { Status } from '../../domain/tasks/task.ts';
import { allFeatures } from '../../queue/tasks/features.ts';
import { listAllDisciplines } from '../../queue/tasks/list.ts';
import { status } from '../../queue/tasks/status.ts';
import { findTrouble } from '../health.ts';
import { defineView } from '../view.ts';

/** What the frame around every page shows. */
export type ProjectView = {
  title: string;
  isReadOnly: boolean;
  counts: Record<Status, number>;
  ready: number;
  /** Open questions and flags that a person has to settle first. */
  questions: number;
  flags: number;
  /** The run that works on the queue now; null where none does. */
  supervisor: Pick<Run, 'id' | 'pid' | 'started'> | null;
  features: readonly Pick<Feature, 'name' | 'display_name' | 'acronym'>[];
  disciplines: readonly Pick<Discipline, 'name' | 'display_name' | 'acronym' | 'color' | 'icon'>[];
  /** Who may work on a task; empty where the configuration cannot be read. */
  agents: readonly string[];
  /** What is wrong with the project, in a sentence. */
  trouble: string | null;
};

export const project = defineView({
  path: '/api/project',
  input: z.strictObject({}),
  read: async ({ queue, root, config, isReadOnly, isAlive, sync }): Promise<ProjectView> => {
    const trouble = await findTrouble({ queue, sync });
    const { title, counts, ready, questions, flags, runs } = await status(queue);
    const alive = runs.find((run) => run.kind === 'supervisor' && isAlive(run));
    return {
      title: title ?? basename(root),
      isReadOnly,
      counts,
      ready,
      questions: questions.filter(({ blocking }) => blocking).length,
      flags: flags.filter(isOpenBlocker).length,
      supervisor: alive === undefined ? null : { id: alive.id, pid: alive.pid, started: alive.started },
      features: (await allFeatures(queue)).map(({ feature: { name, display_name, acronym } }) => ({
        name,
        display_name,
        acronym,
      })),
      disciplines: (await listAllDisciplines(queue)).map(({ name, display_name, acronym, color, icon }) => ({
        name,
        display_name,
        acronym,
        color,
        icon,
      })),
      agents: await config().then(agentNames, () => []),
      trouble,
    };
  },
});
