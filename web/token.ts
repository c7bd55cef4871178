// The key to the server. It comes in the fragment of the address, which no server and no other page is sent, and does not stay there.
const NAME = 'ralph-token';

export function takeToken(): string | null {
  const given = location.hash.slice(1);
  if (/^[0-9a-f]{64}$/.test(given)) {
    sessionStorage.setItem(NAME, given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(NAME);
}
