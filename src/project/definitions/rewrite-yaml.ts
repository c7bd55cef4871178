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
    const changed = document.toString({
      lineWidth: 0,
      indentSeq: !/^[\w-]+:[^\n]*\n(?:[#\s][^\n]*\n)*- /m.test(text),
      flowCollectionPadding: /[[{] /.test(text),
    });
    const merged = keepLines(text, changed);
    // People may indent in another way than the changed lines do; such a mixture is not the same document.
    const again = parseDocument(merged);
    const result = again.errors.length === 0 && isSame(again.toJS(), document.toJS()) ? merged : changed;
    return text.includes('\r\n') ? result.replace(/\r?\n/g, '\r\n') : result;
  } catch (error) {
    throw new Refusal(`${label} uses YAML that Ralph cannot change, such as aliases; change it by hand.`, {
      cause: error,
    });
  }
}

/** `changed`, with its lines as people wrote them in `text` where they differ only in spaces. */
function keepLines(text: string, changed: string): string {
  const own = text.split('\n');
  const ownKeys = own.map(withoutSpace);
  const lines = changed.split('\n');
  const result: string[] = [];
  for (let next = 0; lines.length > 0; ) {
    // The library moves the comment behind "tasks:" to a line of its own.
    const [count, place] = [1, 2]
      .map((size) => [size, ownKeys.indexOf(withoutSpace(lines.slice(0, size).join('')), next)] as const)
      .find(([, found]) => found >= 0) ?? [1, -1];
    const [line = ''] = lines.splice(0, count);
    result.push(own[place] ?? line);
    // An empty line is everywhere, and says nothing about where the next one is.
    if (place >= 0 && ownKeys[place] !== '') next = place + 1;
  }
  return result.join('\n');
}

const withoutSpace = (line: string): string => line.replace(/\s/g, '');

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

/** An entry that stays the same one keeps its node; the entries of a file also keep their order, and new ones follow. */
function rewriteList(document: Document, list: YAMLSeq, values: readonly unknown[]): YAMLSeq {
  const old = list.items.map((item) => (isNode(item) ? identify(item.toJS(document)) : null));
  const wanted = values.map(identify);
  const [oldPlaces, places] = [indexIdentities(old), indexIdentities(wanted)];
  const oldIndex = (index: number): number => {
    const identity = wanted[index] ?? null;
    // Twins, or entries without a name, cannot be told apart.
    if (identity === null || places.get(identity)?.length !== 1) return -1;
    const [known = -1] = oldPlaces.get(identity) ?? [];
    // In a list of the same length, an unknown entry is the old entry at the same index, under a new name.
    const isRenamed = known < 0 && old.length === wanted.length && !places.has(old[index] ?? null);
    return isRenamed ? index : known;
  };
  const nodes = values.map((value, index) => {
    const place = oldIndex(index);
    const item = place < 0 ? null : list.items[place];
    return { place: place < 0 ? Number.POSITIVE_INFINITY : place, node: rewrite(document, item, value) };
  });
  const isOfFile = isMap(document.contents) && document.contents.items.some(({ value }) => value === list);
  if (isOfFile) nodes.sort((one, other) => one.place - other.place || 0);
  list.items = nodes.map(({ node }) => node);
  return list;
}

function indexIdentities(identities: readonly (string | null)[]): Map<string | null, number[]> {
  const places = new Map<string | null, number[]>();
  for (const [index, identity] of identities.entries()) {
    const indexes = places.get(identity);
    if (indexes === undefined) places.set(identity, [index]);
    else indexes.push(index);
  }
  return places;
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
