// The pages of docs/ and of the site that npm run docs builds of them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OUTSIDE, readHeadings, readLinks, resolveLink, siteLink, slug } from '../scripts/docs/links.ts';
import { NAVIGATION } from '../scripts/docs/navigation.ts';
import { renderPage } from '../scripts/docs/page.ts';
import { readSections } from '../scripts/docs/search-index.ts';

const read = (file: string) => readFileSync(file, 'utf8');
const inDocs = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const pages = [...OUTSIDE, ...inDocs];

/** Links that lead to no file, or to no heading of it. */
const brokenLinks = (file: string, markdown: string): string[] =>
  readLinks(markdown).filter((href) => {
    const target = resolveLink(href, file);
    if (target === null) return false;
    const isHere = target.file === file;
    if (!isHere && !existsSync(target.file)) return true;
    const text = isHere ? markdown : read(target.file);
    return target.heading !== '' && !readHeadings(text).map(slug).includes(target.heading);
  });

it.each(pages)('every link of %s leads to a file and a heading that exist', (file) => {
  expect(brokenLinks(file, read(file))).toEqual([]);
});

/** Lines of prose that are too long, by their number. Tables and blocks of code may be wider. */
function wideLines(markdown: string): number[] {
  let isCode = false;
  return markdown.split('\n').flatMap((line, index) => {
    if (line.startsWith('```')) isCode = !isCode;
    return !isCode && !line.startsWith('|') && [...line].length > 100 ? [index + 1] : [];
  });
}

it.each(pages)('every line of prose in %s has at most 100 columns', (file) => {
  expect(wideLines(read(file))).toEqual([]);
});

it('a wide line of prose is found, and one of a table or of code is not', () => {
  const wide = 'x'.repeat(101);
  expect(wideLines(`${wide}\n| ${wide} |\n\`\`\`\n${wide}\n\`\`\`\n- ${wide}\n`)).toEqual([1, 6]);
});

it('a link to a missing file or heading is found, and one in code is not', () => {
  const text = '# A b\n\n[x](nothing.md) [x](install.md#nothing) [x](#a-b) [x](https://a.b)\n`[x](y.md)`\n';
  expect(brokenLinks('docs/a.md', text)).toEqual(['nothing.md', 'install.md#nothing']);
  expect(brokenLinks('docs/a.md', '```md\n[x](y.md)\n# No heading\n```\n')).toEqual([]);
});

it('the menu of the site names every page but the decisions', () => {
  const named = Object.values(NAVIGATION).flatMap((group) => group.map(([file]) => file));
  expect(named.toSorted()).toEqual(pages.filter((file) => !file.startsWith('docs/decisions/')).toSorted());
});

describe('on the site', () => {
  it.each([
    ['docs/install.md', 'README.md', 'install.html'],
    ['../README.md#demo', 'docs/install.md', 'index.html#demo'],
    ['config.md#a', 'docs/agents.md', 'config.html#a'],
    ['../install.md', 'docs/decisions/0009-x.md', '../install.html'],
    ['#levels', 'docs/security.md', 'security.html#levels'],
    ['LICENSE', 'README.md', 'LICENSE'],
    ['https://a.b/c.md', 'README.md', 'https://a.b/c.md'],
  ])('the link %s of %s becomes %s', (href, from, expected) => {
    expect(siteLink(href, from)).toBe(expected);
  });

  it('a page below a folder finds its style and its scripts', () => {
    const page = renderPage('<h1 id="x">A <code>b</code></h1>', 'docs/decisions/0009-x.md');
    expect(page).toContain('<title>A b · Ralph</title>');
    expect(page).toContain('href="../style.css"');
    expect(renderPage('', 'README.md')).toContain('href="./style.css"');
  });

  it('a link to a source file becomes its text', () => {
    const page = renderPage(
      '<a href="../test/a.ts"><code>a.ts</code></a> <a href="mcp.md">b</a>',
      'docs/faults.md',
    );
    expect(page).toContain('\n<code>a.ts</code> <a href="mcp.html">b</a>\n');
  });

  it('each section can be found by its heading and its text, without marks of Markdown', () => {
    const text = '# Guide\n\nFirst [page](a.md).\n\n## `ralph run`\n\n| a | b |\n|---|---|\n- one\n';
    expect(readSections('docs/guide.md', text)).toMatchObject([
      { id: 'guide.html#guide', page: 'Guide', heading: 'Guide', text: 'First page.' },
      { id: 'guide.html#ralph-run', page: 'Guide', heading: 'ralph run', text: 'a b one' },
    ]);
  });
});
