// Reads a YAML file through a schema. Every refusal names file, line and column.
import { type Document, isCollection, isMap, isScalar, LineCounter, visit } from 'yaml';
import type * as z from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import { type AcceptedFiles, readAcceptedText } from '../../files/accepted-files.ts';
import { explainIssue } from './explain-issue.ts';
import { parseBounded, TooManyKeys } from './parse-bounded.ts';

const MAX_ALIASES = 100;

export type Located<Value> = { value: Value; lineAt: (path: readonly PropertyKey[]) => number };

/** Undefined if there is no such file. */
export async function readYaml<Schema extends z.ZodType>(
  path: string,
  label: string,
  schema: Schema,
  accepted: AcceptedFiles = null,
): Promise<Located<z.output<Schema>> | undefined> {
  const text = await readAcceptedText(accepted, path, label);
  return text === undefined ? undefined : parseYaml(text, label, schema);
}

export function parseYaml<Schema extends z.ZodType>(
  text: string,
  label: string,
  schema: Schema,
): Located<z.output<Schema>> {
  const lineCounter = new LineCounter();
  const position = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), col: Math.max(col, 1) };
  };
  const refuse = (offset: number, message: string, cause?: unknown): never => {
    const { line, col } = position(offset);
    throw new Refusal(`${label}:${line}:${col}: ${message}`, { cause });
  };
  const document = parseOrRefuse(text, lineCounter, refuse);
  const [syntaxError] = document.errors;
  if (syntaxError !== undefined) {
    const opened = unclosed(document, text, syntaxError.pos[0]);
    if (opened !== null)
      refuse(opened.offset, `this ${opened.sign} is never closed; add the ${opened.end} that belongs to it.`);
    refuse(syntaxError.pos[0], `${syntaxError.message.split('\n')[0]?.replace(/[.:]$/, '')}.`);
  }
  refuseCycles(document, refuse);
  const checked = schema.safeParse(toValue(document, label) ?? {}, { reportInput: true });
  if (!checked.success) {
    const problems = checked.error.issues.map((issue) => explainIssue(issue, schema));
    const [first, ...more] = problems
      .map(({ path, ...problem }) => ({ ...problem, offset: findOffset(document, path) }))
      // A mistyped key first: a missing key is most often the one that was mistyped.
      .sort((a, b) => Number(b.mistyped) - Number(a.mistyped) || a.offset - b.offset);
    if (first !== undefined)
      refuse(
        first.offset,
        `${first.message}${more.length > 0 ? ` (and ${more.length} more)` : ''}`,
        checked.error,
      );
  }
  return {
    value: checked.data as z.output<Schema>,
    lineAt: (path) => position(findOffset(document, path)).line,
  };
}

function parseOrRefuse(
  text: string,
  lineCounter: LineCounter,
  refuse: (offset: number, message: string) => never,
): Document {
  try {
    return parseBounded(text, { lineCounter, prettyErrors: false });
  } catch (error) {
    if (!(error instanceof TooManyKeys)) throw error;
    return refuse(error.offset, `${error.message}; take some of them out.`);
  }
}

const ENDS: Readonly<Record<string, string>> = { '[': ']', '{': '}', "'": "'", '"': '"' };

/** The bracket or quote of which the parser found no end before `offset`: it is often lines above. */
function unclosed(
  document: Document,
  text: string,
  offset: number,
): { offset: number; sign: string; end: string } | null {
  let start: number | null = null;
  visit(document, {
    Node: (_, { range }) => {
      const isUnclosed = range?.[1] === offset && text[offset - 1] !== ENDS[text[range[0]] ?? ''];
      if (isUnclosed && ENDS[text[range[0]] ?? ''] !== undefined) start = range[0];
    },
  });
  const sign = start === null ? undefined : text[start];
  const end = ENDS[sign ?? ''];
  return start === null || sign === undefined || end === undefined ? null : { offset: start, sign, end };
}

/** A value that contains itself has no end, and a schema would follow it until the stack is full. */
function refuseCycles(document: Document, refuse: (offset: number, message: string) => never): void {
  visit(document, {
    Alias: (_, { source, range }, above) => {
      if (above.some((node) => isCollection(node) && node.anchor === source))
        refuse(
          range?.[0] ?? 0,
          `the alias *${source} stands for a value that contains it; write the value out.`,
        );
    },
  });
}

function toValue(document: Document, label: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw new Refusal(`${label} uses too many YAML aliases; write the values out.`, { cause: error });
  }
}

/** The offset of the path's last key, or of its parent if the key is missing. */
function findOffset(document: Document, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = rangeStart(node);
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (pair === undefined) break;
      offset = rangeStart(pair.key, offset);
      node = pair.value;
    } else {
      node = document.contents && typeof key === 'number' ? listItem(node, key) : undefined;
      offset = rangeStart(node, offset);
    }
  }
  return offset;
}

const listItem = (node: unknown, index: number): unknown =>
  typeof node === 'object' && node !== null && 'items' in node && Array.isArray(node.items)
    ? node.items[index]
    : undefined;

const rangeStart = (node: unknown, fallback = 0): number =>
  typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? Number(node.range[0])
    : fallback;
