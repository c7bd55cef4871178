// The key to the server. It comes in the fragment of the address, which no server and no other page is sent, and does not stay there.
const STORAGE_KEY = 'ralph-token';
const TOKEN = /^[0-9a-f]{64}$/;
/** Where Ralph opened the browser itself: good for one trade. */
const TICKET = /^once-[0-9a-f]{32}$/;

export async function takeToken(): Promise<string | null> {
  const given = location.hash.slice(1);
  if (isCredential(given)) history.replaceState(null, '', location.pathname + location.search);
  const token = TICKET.test(given) ? await redeemTicket(given) : given;
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

// An address that differs in its fragment only is no new page to a browser, so that nobody would take the key.
addEventListener('hashchange', () => {
  if (isCredential(location.hash.slice(1))) location.reload();
});
