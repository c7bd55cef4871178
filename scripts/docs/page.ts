// A page of the site around the HTML that the generator made of Markdown. Pure.
import { dirname, relative } from 'node:path/posix';
import { resolveLink, siteLink, sitePath } from './links.ts';
import { NAVIGATION } from './navigation.ts';

export function renderPage(content: string, file: string): string {
  const path = sitePath(file) ?? file;
  const root = relative(dirname(path), '.') || '.';
  const title = /<h1[^>]*>(.*?)<\/h1>/.exec(content)?.[1]?.replace(/<[^>]*>/g, '') ?? 'Ralph';
  // A wide table or picture scrolls by itself, so that the page does not.
  const body = content
    .replace(/<a href="([^"]+)">(.*?)<\/a>/gs, (link: string, href: string, text: string) =>
      isOnSite(href, file) ? link : text,
    )
    .replace(/(href|src)="([^"]+)"/g, (_, name: string, href: string) => `${name}="${siteLink(href, file)}"`)
    .replace(/<table>/g, '<div class="wide"><table>')
    .replace(/<\/table>/g, '</table></div>');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}${title === 'Ralph' ? '' : ' · Ralph'}</title>
<link rel="stylesheet" href="${root}/style.css">
</head>
<body data-root="${root}">
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="home" href="${root}/index.html">Ralph</a>
<search><label>Search <input id="search" type="search" autocomplete="off" placeholder="gates, sandbox, ..."></label>
<ol id="results" aria-live="polite"></ol></search>
</header>
<div class="columns">
<details class="menu" open><summary>Pages</summary><nav aria-label="Pages">${menu(file)}</nav></details>
<main id="content">
${body}
</main>
</div>
<script src="${root}/search-index.js" defer></script>
<script src="${root}/search.js" defer></script>
</body>
</html>
`;
}

/** Source files are not: their names stay, as text. */
function isOnSite(href: string, from: string): boolean {
  const target = resolveLink(href, from);
  return target === null || sitePath(target.file) !== null;
}

const menu = (current: string): string =>
  Object.entries(NAVIGATION)
    .map(([group, pages]) => {
      const items = pages.map(([file, name]) => {
        const here = file === current ? ' aria-current="page"' : '';
        const href = relative(dirname(sitePath(current) ?? ''), sitePath(file) ?? '');
        return `<li><a href="${href}"${here}>${name}</a></li>`;
      });
      return `<h2>${group}</h2><ul>${items.join('')}</ul>`;
    })
    .join('');
