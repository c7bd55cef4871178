// Everything a prompt may contain. Ralph gathers it before it renders the prompt, never during that.
import type { Config, GateConfig, RECIPE_NAMES } from './config.ts';
import type { Reference } from './exchange/backlog.ts';
import type { Learning } from './learnings/learning.ts';
import type { Outcome } from './sessions/settle.ts';
import type { Discipline } from './tasks/discipline.ts';
import type { Feature } from './tasks/feature.ts';
import type { Flag } from './tasks/flag.ts';
import type { Provenance, Question, Status, Task, TaskComment } from './tasks/task.ts';

export type RecipeName = (typeof RECIPE_NAMES)[number];

/** A file that a feature or a task names. */
export type ContextFile = {
  path: string;
  level: 'feature' | 'task';
  content:
    | { kind: 'text'; text: string }
    /** The prompt names the file and a short reason, without its content. */
    | { kind: 'withheld'; reason: string }
    | { kind: 'missing' };
};

/** A file that the work of a task added, changed or removed. */
export type FileChange = {
  path: string;
  kind: 'added' | 'changed' | 'removed';
  /** Withheld: the prompt names the file and a short reason, without its text. */
  diff: { kind: 'text'; text: string } | { kind: 'withheld'; reason: string };
};

export type Attempt = {
  /** Of the try, as people read it everywhere; an interrupted session is none. */
  number: number;
  outcome: Outcome;
  /** The failed gates, with the last part of what they printed. */
  failures: readonly { name: string; command: string; tail: string }[];
};

export type ChosenLearning = Pick<Learning, 'id' | 'category' | 'body' | 'summary' | 'reason' | 'author'> & {
  /** The feature it comes from, if that is a feature that the task's own feature builds on. */
  from: string | null;
  /** The text of an older learning that it contradicts. */
  at_odds: string | null;
};

/** `provenance`: whether the title is an agent's. */
export type TaskMention = { id: number; title: string; status: Status; provenance: Provenance };

export type PromptContext = {
  readonly project: {
    readonly title: string;
    readonly description: string | null;
    /** CLAUDE.RALPH.md, progress.txt and learnings.txt, each cut to its newest part. */
    readonly notes: string | null;
    readonly progress: string | null;
    readonly learnings: string | null;
    readonly specs: readonly string[];
  };
  /** How the agent reports: by MCP tools, or by tags in its text. */
  readonly protocol: 'verbs' | 'sigils';
  /** Ralph launches the session. An interactive client has other tools. */
  readonly isLaunched: boolean;
  /** The MCP servers that this session has besides Ralph's. */
  readonly servers: readonly string[];
  /** The models that the session may ask for on behalf of the next one; empty if no request counts. */
  readonly models: readonly string[];
  readonly commit: Config['commit'];
  /** The gates that Ralph runs after a `done`. */
  readonly gates: readonly Pick<GateConfig, 'name' | 'command' | 'required' | 'expect'>[];
  readonly delivery: 'auto' | 'inject' | 'resources';
  readonly budget_tokens: number;
  readonly task: Task | null;
  /** The board that the task was imported from, and who wrote it there, if the board says so. */
  readonly origin: (Reference & { author: string | null }) | null;
  /** What the source says that Ralph has no field for. */
  readonly source_notes: readonly string[];
  readonly parent: Pick<Task, 'id' | 'title' | 'description' | 'provenance'> | null;
  readonly discipline: Discipline | null;
  readonly feature: Feature | null;
  /** The specification of the feature; `problem`: why it cannot be read. */
  readonly spec: { readonly path: string; readonly problem: string | null } | null;
  /** The features that the task's feature builds on. */
  readonly foundations: readonly Pick<Feature, 'name' | 'display_name' | 'description'>[];
  readonly learnings: readonly ChosenLearning[];
  readonly siblings: readonly TaskMention[];
  /** The number of siblings that are not listed. */
  readonly more_siblings: number;
  readonly prerequisites: readonly (TaskMention & { summary: string | null })[];
  readonly attempts: readonly Attempt[];
  readonly comments: readonly TaskComment[];
  readonly questions: readonly Question[];
  /** Blocking flags of the task that are open, or that a person closed with a note. */
  readonly blocking_flags: readonly Flag[];
  /** What people answered to sessions of other tasks of the feature. */
  readonly decisions: readonly { question: string; answer: string }[];
  /** The summary of the last session that called done. */
  readonly claimed_summary: string | null;
  /** What the task's work changed, up to its last session or in its commit; null if unknown. */
  readonly changes: readonly FileChange[] | null;
  readonly files: readonly ContextFile[];
  /** The person's text for this prompt: the braindump or the topic. */
  readonly input: string | null;
  /** The paths of the project's files, for the recipes that show them. */
  readonly codebase: readonly string[];
  /** For the recipes that plan: the existing features, disciplines, drafts and tasks. */
  readonly features: readonly Pick<Feature, 'name' | 'description' | 'status' | 'spec_file'>[];
  readonly disciplines: readonly Pick<Discipline, 'name' | 'display_name'>[];
  readonly drafts: readonly Pick<
    Task,
    'id' | 'title' | 'description' | 'provenance' | 'feature' | 'discipline'
  >[];
  readonly open_tasks: readonly (TaskMention & { feature: string | null })[];
};
