// A family of resources is a plain value; only server/ maps it to MCP.
import type { GatherInput } from '../context/gather.ts';
import type { FoundEntry, SearchQuery } from '../context/search.ts';
import type { RecipeName } from '../domain/context.ts';
import type { RalphEvent } from '../domain/event.ts';
import { Refusal } from '../domain/refusal.ts';
import type { ProcessIdentity } from '../domain/sessions/session.ts';
import type { AcceptedFiles } from '../files/accepted-files.ts';
import type { Queue } from '../queue/queue.ts';
import type { Prompt } from '../recipes/render.ts';

export type ResourceContext = {
  readonly queue: Queue;
  readonly root: string;
  /** Where the files are that the session works on: a slot, or the project itself. */
  readonly filesRoot: string;
  /** What counts of the files below `.ralph`. */
  accepted(): Promise<AcceptedFiles>;
  isAlive(process: ProcessIdentity): boolean;
  writePrompt(recipe: RecipeName, input: GatherInput): Promise<Prompt>;
  /** Matches files that are never shown; includes the project's own patterns. */
  secrets(): Promise<(path: string) => boolean>;
  search(query: SearchQuery): Promise<FoundEntry[]>;
};

/** What a session works on: lists show it nothing else of the project. Null for no limit. */
export type Scope = { task_id: number; feature: string | null; discipline: string | null } | null;

export type Variables = Readonly<Record<string, string>>;

export type ListedResource = {
  /** Where the next page continues: `list` gets the key of the last member as `after`. */
  key: string;
  uri: string;
  title: string;
  description: string;
  mimeType?: string;
};

export type Complete = (context: ResourceContext, known: Variables) => Promise<string[]>;

export type ResourceFamily = {
  name: string;
  title: string;
  /** One line. */
  description: string;
  /** A template: `{name}` is one segment, `{+path}` the rest of the path, `{?a,b}` a query. */
  uri: string;
  /** The members worth showing, ordered by key. Absent if there is only one member, or if a client must name it. */
  list?(
    context: ResourceContext,
    after: string | null,
    limit: number,
    scope: Scope,
  ): Promise<ListedResource[]>;
  /** Null if the members differ in type; otherwise they are Markdown. */
  mimeType?: null;
  /** The possible values of each variable. */
  complete?: Readonly<Record<string, Complete>>;
  read(context: ResourceContext, variables: Variables): Promise<Content>;
  /** True if the event may have changed this member. A false positive does no harm. */
  isChangedBy(event: RalphEvent, variables: Variables): boolean;
  /** Files, folders and globs of the project whose content this member shows. */
  filePatterns?(context: ResourceContext, variables: Variables): Promise<readonly string[]>;
};

type Content = { text: string; mimeType?: string };

/** The decoded variables of a URI that matches the template; null for any other URI. */
export function matchUri(template: string, uri: string): Variables | null {
  const [path = '', query] = template.split('{?');
  const [address = '', ...rest] = uri.split('?');
  if (query === undefined && rest.length > 0) return null;
  const names: string[] = [];
  const pattern = path.replace(/\{(\+?)(\w+)\}|[^{]+/g, (part, plus?: string, name?: string) => {
    if (name === undefined) return part.replace(/[.*+?^$()[\]\\|]/g, '\\$&');
    names.push(name);
    return plus === '+' ? '(.+)' : '([^/]+)';
  });
  const match = new RegExp(`^${pattern}$`).exec(address);
  if (match === null) return null;
  const variables: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = decode(match[index + 1] ?? '');
    if (value === null) return null;
    variables[name] = value;
  }
  if (query === undefined) return variables;
  const search = new URLSearchParams(rest.join('?'));
  for (const name of query.replace('}', '').split(',')) {
    const value = search.get(name);
    if (value !== null) variables[name] = value;
  }
  return variables;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

// Variables come from a client, so each is checked before it names anything.

export function requireTaskId({ id = '' }: Variables): number {
  if (!/^[1-9]\d{0,12}$/.test(id)) throw new Refusal('A task is named by its number, as in ralph://tasks/7.');
  return Number(id);
}

export function requireName({ name = '' }: Variables): string {
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name))
    throw new Refusal('That is not a name: letters, digits, spaces, dots, dashes, at most 100.');
  return name;
}

export function requireSessionId({ id = '' }: Variables): string {
  if (!/^[\w-]{1,100}$/.test(id)) throw new Refusal('That is not the id of a session.');
  return id;
}
