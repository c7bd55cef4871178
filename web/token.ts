// The access token. It comes in the fragment of the address, which browsers send to no server, and is removed from there.
const STORAGE_KEY = 'ralph-token';
const TOKEN = /^[0-9a-f]{64}$/;
/** In the address that Ralph opens in a browser itself: the server exchanges it for the token once. */
const TICKET = /^once-[0-9a-f]{32}$/;

export async function takeToken(): Promise<string | null> {
  const fragment = location.hash.slice(1);
  if (isCredential(fragment)) history.replaceState(null, '', location.pathname + location.search);
  const token = TICKET.test(fragment) ? await redeemTicket(fragment) : fragment;
  if (TOKEN.test(token)) sessionStorage.setItem(STORAGE_KEY, token);
  return sessionStorage.getItem(STORAGE_KEY);
}

const isCredential = (text: string): boolean => TOKEN.test(text) || TICKET.test(text);

async function redeemTicket(ticket: string): Promise<string> {
  const headers = { authorization: `Bearer ${ticket}` };
  const sent = fetch('/api/enter', { method: 'POST', headers, credentials: 'omit', cache: 'no-store' });
  const { token = '' }: { token?: string } = await sent.then((answer) => answer.json()).catch(() => ({}));
  return token;
}

// A browser loads no new page where only the fragment differs, so a new token needs a reload to be taken.
addEventListener('hashchange', () => {
  if (isCredential(location.hash.slice(1))) location.reload();
});
