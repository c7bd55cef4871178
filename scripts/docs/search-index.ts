// What can be found: each section of each page, with the first words of its text.
import MiniSearch from 'minisearch';
import { readHeadings, sitePath, slug } from './links.ts';
import { SEARCH_OPTIONS, type Section } from './search-options.ts';

const SHOWN_CHARACTERS = 160;

export function readSections(file: string, markdown: string): Section[] {
  const path = sitePath(file) ?? file;
  const [title = file] = readHeadings(markdown);
  return markdown.split(/^(?=#{1,3} )/m).flatMap((part) => {
    const heading = /^#{1,3} +(.+)/.exec(part)?.[1];
    if (heading === undefined) return [];
    const text = plainText(part.slice(part.indexOf('\n') + 1 || part.length));
    const id = `${path}#${slug(heading)}`;
    return [
      {
        id,
        page: plainText(title),
        heading: plainText(heading),
        text,
        start: text.slice(0, SHOWN_CHARACTERS),
      },
    ];
  });
}

const plainText = (markdown: string): string =>
  markdown
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*|>#]|^ *- |-{3,}/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();

export function buildIndex(sections: readonly Section[]): string {
  const index = new MiniSearch<Section>(SEARCH_OPTIONS);
  // Two sections of a page may have the same heading; the first one is found.
  index.addAll([...new Map([...sections].reverse().map((one) => [one.id, one])).values()]);
  return JSON.stringify(index);
}
