// Which hosts a sandbox may reach: patterns such as `example.com`, `*.example.com`, `example.com:8443` and `localhost:5432`.

const PATTERN = /^(\*|(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])(:\d{1,5})?$/i;

export const isHostPattern = (text: string): boolean => PATTERN.test(text);

/** Without a port a pattern means the web. */
const WEB_PORTS = [80, 443];

export type Address = { host: string; port: number };

/** `[::1]:80`, `example.com:443`; null if it is no address. */
export function parseAddress(text: string): Address | null {
  const found = /^(?:\[([0-9a-f:.]+)\]|([^:/\s]+)):(\d{1,5})$/i.exec(text);
  if (found === null) return null;
  return { host: normalHost(found[1] ?? found[2] ?? ''), port: Number(found[3]) };
}

const normalHost = (host: string): string => host.toLowerCase().replace(/\.$/, '');

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

export const isLoopback = (host: string): boolean => LOOPBACK.test(normalHost(host));

export function isAllowed(patterns: readonly string[], { host, port }: Address): boolean {
  return patterns.some((pattern) => {
    const [, name = '', wanted] = /^(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase()) ?? [];
    const isPort = wanted === undefined ? WEB_PORTS.includes(port) : Number(wanted) === port;
    const isHere = isLoopback(host);
    // A name for everything, or without a port, does not mean this machine: its services trust who reaches them.
    if (isHere) return isLoopback(name) && wanted !== undefined && isPort;
    return (
      isPort && (name === '*' || name === host || (name.startsWith('*.') && host.endsWith(name.slice(1))))
    );
  });
}

/** The ports of this machine that the patterns name. */
export const loopbackPorts = (patterns: readonly string[]): number[] => [
  ...new Set(
    patterns.flatMap((pattern) => {
      const address = parseAddress(pattern);
      return address !== null && isLoopback(address.host) ? [address.port] : [];
    }),
  ),
];

/** What was refused, and how often. */
export type Refused = ReadonlyMap<string, number>;

/** Of a log with an address a line. */
export function countLines(text: string): Refused {
  const counts = new Map<string, number>();
  for (const line of text.split('\n').filter(Boolean)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

const MOST_HOSTS = 5;

export function refusedText(refused: Refused): string | null {
  const total = [...refused.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const hosts = [...new Set([...refused.keys()].map(shortName))];
  const more = hosts.length > MOST_HOSTS ? ` and ${hosts.length - MOST_HOSTS} more` : '';
  return `The sandbox refused ${total} connection${total === 1 ? '' : 's'} to ${hosts.slice(0, MOST_HOSTS).join(', ')}${more}; allow ${hosts.length === 1 ? 'it' : 'them'} with sandbox.network in .ralph/config.yaml.`;
}

const shortName = (address: string): string => address.replace(/:(80|443)$/, '');
