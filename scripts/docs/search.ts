/// <reference lib="dom" />
// Runs in the browser: searches the index that stands in search-index.js. A script and not a request, so that it works from a disk, too.
import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS, type SearchResult } from './search-options.ts';

declare global {
  interface Window {
    SEARCH_INDEX: string;
  }
}

const MAX_RESULTS = 12;
const [input, list] = [document.querySelector('input'), document.querySelector<HTMLElement>('#results')];
const root = document.body.dataset['root'] ?? '.';
let index: MiniSearch | null = null;

function show(): void {
  if (input === null || list === null) return;
  index ??= MiniSearch.loadJSON(window.SEARCH_INDEX, SEARCH_OPTIONS);
  const words = input.value.trim();
  const found =
    words === '' ? [] : (index.search(words).slice(0, MAX_RESULTS) as unknown[] as SearchResult[]);
  list.replaceChildren(...found.map(resultItem));
  if (words !== '' && found.length === 0) list.replaceChildren(element('li', 'Nothing was found.'));
}

function resultItem({ id, page, heading, start }: SearchResult): HTMLElement {
  const link = element('a', heading === page ? page : `${page}: ${heading}`);
  link.setAttribute('href', `${root}/${id}`);
  const item = document.createElement('li');
  item.append(link, element('p', start));
  return item;
}

function element(name: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

input?.addEventListener('input', show);
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input?.focus();
  }
  if (event.key === 'Escape' && list !== null) list.replaceChildren();
});
// On a narrow screen the menu would hide the text.
if (window.innerWidth < 800) document.querySelector('details.menu')?.removeAttribute('open');
