// Changes values in a YAML text and leaves the rest as people wrote it: comments, order, quotes.
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parse,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { Refusal } from '../../domain/refusal.ts';

/** The text to write in place of the current one: with its comments, if it has any. */
export const keepComments = (current: string, text: string, label: string): string =>
  hasComments(current, label) ? rewriteYaml(current, parse(text), label) : text;

function hasComments(text: string, label: string): boolean {
  const document = parseDocument(text, { uniqueKeys: false });
  if (document.errors.length > 0)
    throw new Refusal(`${label} is no YAML that Ralph can read; name another folder, or say --force.`);
  let found = Boolean(document.comment || document.commentBefore);
  visit(document, {
    Node: (_, { comment, commentBefore }) => {
      found ||= Boolean(comment || commentBefore);
    },
  });
  return found;
}

/** The same file with another value. `label`: the file's name for a refusal. */
export function rewriteYaml(text: string, value: object, label: string): string {
  const document = parseDocument(text);
  try {
    document.contents = rewrite(document, document.contents, value) as typeof document.contents;
    return document.toString({
      lineWidth: 0,
      indentSeq: !/^[\w-]+:[^\n]*\n(?:[#\s][^\n]*\n)*- /m.test(text),
      flowCollectionPadding: /[[{] /.test(text),
    });
  } catch (error) {
    throw new Refusal(`${label} uses YAML that Ralph cannot change, such as aliases; change it by hand.`, {
      cause: error,
    });
  }
}

/** The node with this value: as much of the old one as possible, with its comments. */
function rewrite(document: Document, node: unknown, value: unknown): unknown {
  if (isNode(node) && isSame(node.toJS(document), value)) return node;
  if (isMap(node) && isRecord(value)) return rewriteMap(document, node, value);
  if (isSeq(node) && Array.isArray(value)) return rewriteList(document, node, value);
  const fresh = document.createNode(value, { aliasDuplicateObjects: false });
  if (!isNode(node)) return fresh;
  const { comment, commentBefore } = node;
  Object.assign(fresh, { ...(comment && { comment }), ...(commentBefore && { commentBefore }) });
  if (isScalar(node) && isScalar(fresh) && node.type?.startsWith('QUOTE') && typeof value === 'string')
    fresh.type = node.type;
  return fresh;
}

function rewriteMap(document: Document, map: YAMLMap, value: Readonly<Record<string, unknown>>): YAMLMap {
  map.items = map.items.filter(({ key }) => Object.hasOwn(value, keyText(key)));
  for (const [name, wanted] of Object.entries(value)) {
    const pair = map.items.find(({ key }) => keyText(key) === name);
    if (pair === undefined) map.items.push(document.createPair(name, wanted));
    else pair.value = rewrite(document, pair.value, wanted);
  }
  return map;
}

/** Entries with a name or an id keep their place, and new ones follow. Lists of plain values are replaced. */
function rewriteList(document: Document, list: YAMLSeq, values: readonly unknown[]): YAMLSeq {
  const left = new Map(values.map((value, index) => [identify(value) ?? index, value]));
  const earlier = list.items.map((item) => (isNode(item) ? identify(item.toJS(document)) : null));
  // In a list of the same length, an entry that nobody knows is the old one in its place under a new name.
  const renamed = values.map((value) => (values.length === earlier.length ? identify(value) : null));
  const kept = list.items.flatMap((item, index) => {
    const [own = null, next = null] = [earlier[index], renamed[index]];
    const identity = own !== null && !left.has(own) && !earlier.includes(next) ? next : own;
    if (identity === null || !left.has(identity)) return [];
    const value = left.get(identity);
    left.delete(identity);
    return [rewrite(document, item, value)];
  });
  list.items = [
    ...kept,
    ...[...left.values()].map((value) => document.createNode(value, { aliasDuplicateObjects: false })),
  ];
  return list;
}

/** What makes an entry the same one after its other fields have changed. */
function identify(entry: unknown): string | null {
  if (!isRecord(entry)) return null;
  const { name, id, title, body } = entry;
  const identity = name ?? id ?? title ?? body;
  return identity === undefined || identity === null ? null : JSON.stringify(identity);
}

const keyText = (key: unknown): string => String(isScalar(key) ? key.value : key);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
