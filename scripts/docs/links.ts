// Links of the Markdown files: where they lead in the repository, and where the same page is on the site. Pure.
import { dirname, join, relative } from 'node:path/posix';

/** Pages that are not in docs/. */
export const OUTSIDE = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** As GitHub makes them, so that a link leads to the same heading in both. */
export const slug = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/<[^>]*>|[`*]/g, '')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** The file and the heading that a link leads to; null if it leaves the repository. */
export function resolveLink(href: string, from: string): { file: string; heading: string } | null {
  if (/^[a-z]+:/i.test(href)) return null;
  const [path = '', heading = ''] = href.split('#');
  return { file: path === '' ? from : join(dirname(from), decodeURI(path)), heading };
}

/** Where a file of the repository is on the site; null if it is not there. */
export function sitePath(file: string): string | null {
  const path = file.startsWith('docs/') ? file.slice('docs/'.length) : file;
  if (path === file && !OUTSIDE.includes(file)) return null;
  return path === 'README.md' ? 'index.html' : path.replace(/\.md$/, '.html');
}

/** A link of the repository as a link of the site. */
export function siteLink(href: string, from: string): string {
  const target = resolveLink(href, from);
  const path = target === null ? null : sitePath(target.file);
  if (target === null || path === null) return href;
  const own = relative(dirname(sitePath(from) ?? ''), path);
  return target.heading === '' ? own : `${own}#${target.heading}`;
}

const FENCE = /^(`{3,}|~{3,}).*\n[\s\S]*?^\1\s*$/gm;

/** The targets of all links and pictures, those in code left out. */
export const readLinks = (markdown: string): string[] =>
  [
    ...markdown
      .replace(FENCE, '')
      .replace(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^()\s]+)\)/g),
  ].map(([, href = '']) => href);

export const readHeadings = (markdown: string): string[] =>
  [...markdown.replace(FENCE, '').matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, text = '']) => text);
