// Markdown files with fields in front: one task a file, its text in sections.
import { LineCounter } from 'yaml';
import { parseBounded } from '../../definitions/parse-bounded.ts';
import type { Json } from './json.ts';
import { readItems } from './markdown/sections.ts';
import { isRecord, SourceRecord } from './source-record.ts';

const PARTS = /^\s*---\n(.*?)\n---[ \t]*(?:\n|$)(.*)$/s;

export type FrontMatter = { front: SourceRecord; sections: Sections };

/** The keys in front of a text; none if nothing is in front. */
export function frontKeys(text: string): string[] {
  const front = PARTS.exec(text.replaceAll('\r\n', '\n'))?.[1] ?? '';
  return [...front.matchAll(/^([A-Za-z_][\w-]*):/gm)].map(([, key = '']) => key);
}

/** Null if nothing is in front of the text. */
export function splitFrontMatter(text: string): FrontMatter | null {
  const found = PARTS.exec(text.replaceAll('\r\n', '\n'));
  return found === null
    ? null
    : { front: new SourceRecord(parseFront(found[1] ?? '')), sections: new Sections(found[2] ?? '') };
}

/** Fields that are no YAML stay readable: they become one leftover. */
function parseFront(text: string): Json {
  try {
    const document = parseBounded(text, { lineCounter: new LineCounter() });
    const value: unknown = document.errors.length === 0 ? document.toJS({ maxAliasCount: 0 }) : null;
    if (isRecord(value)) return value;
  } catch {
    // Too many keys or aliases: the same as fields that are no YAML.
  }
  return { fields: text };
}

/** The text below each heading of the second level. A reader takes those it knows. */
class Sections {
  readonly #left = new Map<string, string>();
  /** The heading of the first level, if there is one. */
  readonly title: string | null;

  constructor(body: string) {
    let [heading, isFenced, title] = ['', false, null as string | null];
    for (const line of body.replace(/<!-- [A-Z]+(?::[A-Z]+)* -->\n?/g, '').split('\n')) {
      if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
      const [, hashes, words] = isFenced ? [] : (/^(#{1,2}) +(\S.*)$/.exec(line) ?? []);
      if (words === undefined) this.#left.set(heading, `${this.#left.get(heading) ?? ''}${line}\n`);
      else if (hashes === '#') title ??= words.trim();
      else heading = words.trim();
    }
    this.title = title;
  }

  /** What stands before the first heading has the name ''. */
  take(name: string): string | null {
    const text = this.#left.get(name)?.trim() ?? '';
    this.#left.delete(name);
    return text === '' ? null : text;
  }

  takeItems(name: string): string[] {
    return readItems((this.take(name) ?? '').split('\n'));
  }

  leftovers(): Record<string, string> {
    const texts = [...this.#left].map(([name, text]) => [name, text.trim()]);
    return new SourceRecord(Object.fromEntries(texts)).leftovers();
  }
}
