// Enough of XML to know that a picture is well-formed, and strict about it: no comment, no CDATA, no doctype, numbers as the only entities.

export type Element = {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: (Element | string)[];
};

const NAME = '[A-Za-z][A-Za-z0-9:.-]*';
const TAG = new RegExp(`<(/?)(${NAME})((?:\\s+${NAME}="[^"<]*")*)\\s*(/?)>`, 'y');
/** All but what XML 1.0 allows; a carriage return would not survive being read. */
const FORBIDDEN = /[^\t\n\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

export function parseXml(text: string): Element {
  if (FORBIDDEN.test(text)) throw new Error('A character that no XML may hold.');
  const root: Element = { name: '', attributes: {}, children: [] };
  const open = [root];
  for (let at = 0; at < text.length; ) {
    const parent = open.at(-1) ?? root;
    const next = text.indexOf('<', at);
    const words = text.slice(at, next === -1 ? text.length : next);
    if (words !== '') parent.children.push(decoded(words));
    if (next === -1) break;
    TAG.lastIndex = next;
    const [tag, slash, name = '', attributes = '', empty] = TAG.exec(text) ?? [];
    if (tag === undefined) throw new Error(`Not a tag: ${text.slice(next, next + 60)}`);
    at = next + tag.length;
    if (slash === '/') {
      if (open.pop()?.name !== name || open.length === 0)
        throw new Error(`</${name}> closes something else.`);
      continue;
    }
    const element: Element = { name, attributes: attributesOf(attributes), children: [] };
    parent.children.push(element);
    if (empty !== '/') open.push(element);
  }
  const elements = root.children.filter((child) => typeof child !== 'string');
  const [only] = elements;
  const around = root.children.filter((child) => typeof child === 'string').join('');
  if (open.length !== 1 || elements.length !== 1 || only === undefined || around.trim() !== '')
    throw new Error('Not one element, opened and closed.');
  return only;
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(new RegExp(`(${NAME})="([^"<]*)"`, 'g'))].map(
    ([, name = '', value = '']) => [name, decoded(value)] as const,
  );
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) throw new Error(`Twice the same: ${text}`);
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  const bare = text.replace(/&#\d+;/g, '');
  if (bare.includes('&')) throw new Error(`Not an entity: ${bare}`);
  if (bare.includes(']]>')) throw new Error(`The end of nothing: ${bare}`);
  return text.replace(/&#(\d+);/g, (_, point: string) => String.fromCodePoint(Number(point)));
}

export const textOf = (element: Element): string =>
  element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');

export const everyElement = (element: Element): Element[] => [
  element,
  ...element.children.flatMap((child) => (typeof child === 'string' ? [] : everyElement(child))),
];
