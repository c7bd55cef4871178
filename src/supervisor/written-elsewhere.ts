import { readBase } from '../host/work/session-base.ts';
import {
  noteWrittenElsewhere,
  noteWrittenMeanwhile,
  type SeenProcesses,
} from '../host/work/written-elsewhere.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import type { GroundInput } from './input.ts';

export type WrittenElsewhere = {
  /** True if a tree that Ralph took earlier no longer matches the work tree. */
  beforeSession(): Promise<boolean>;
  afterSession(claim: Claim, files: readonly string[]): Promise<void>;
};

/** Keeps files that another process is writing out of a run's work, and tells the person about each once. */
export function watchWrittenElsewhere({ root, env, stateDir, tell }: GroundInput): WrittenElsewhere {
  const place = { root, env, stateDir };
  const named = new Set<string>();
  const seen: SeenProcesses = new Set();
  let isFirst = true;
  const name = (found: readonly string[]): void => {
    const files = found.filter((file) => !named.has(file));
    for (const file of files) named.add(file);
    if (files.length > 0) tell({ kind: 'written_elsewhere', files });
  };
  return {
    beforeSession: async () => {
      if (!isFirst) return false;
      const { files, isChanged } = await noteWrittenElsewhere(place, seen);
      isFirst = false;
      name(files);
      return isChanged;
    },
    afterSession: async ({ session }, files) => {
      const base = (await readBase(place, session.id))?.tree ?? null;
      name((await noteWrittenMeanwhile(place, seen, { base, files })).files);
    },
  };
}
