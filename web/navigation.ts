import { signal } from '@preact/signals';

/** Where the person is. Filters are in it, too, so that going back and sharing work. */
export const currentUrl = signal(new URL(location.href));

export function go(href: string, { replace = false }: { replace?: boolean } = {}): void {
  const url = new URL(href, location.origin);
  if (url.href === currentUrl.value.href) return;
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  const isAnotherPage = url.pathname !== currentUrl.value.pathname;
  currentUrl.value = url;
  if (isAnotherPage) scrollTo(0, 0);
}

/** The same page with other words in its query; an empty one is left out. */
export function withQuery(changes: Readonly<Record<string, string>>): string {
  const url = new URL(currentUrl.value);
  for (const [name, value] of Object.entries(changes))
    if (value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  return url.pathname + url.search;
}

addEventListener('popstate', () => {
  currentUrl.value = new URL(location.href);
});

/** Links are links: with a modifier key, or to elsewhere, the browser does what it always does. */
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href^="/"]') : null;
  if (link === null || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.getAttribute('href') ?? '/');
});
