import { signal } from '@preact/signals';

/** The address of the page. It holds the filters, too, so that the back button and shared links work. */
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

/** The address of the same page with a changed query. An empty value removes its name. */
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

/** A plain click changes the page here; the browser handles clicks with a modifier key and links to elsewhere. */
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href^="/"]') : null;
  if (link === null || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.getAttribute('href') ?? '/');
});
