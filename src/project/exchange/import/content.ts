// What of a source has content for a session: neither the bookkeeping of the other tool, nor people, nor orders to commit.

const NO_CONTENT = new Set([
  'owner',
  'author',
  'creator',
  'createdby',
  'updatedby',
  'closedby',
  'reporter',
  'assignee',
  'assignees',
  'assignedto',
  'created',
  'updated',
  'lastmodified',
  'url',
  'uuid',
  'contenthash',
  'activeform',
]);

/** Counts, times, and who did what when. */
export function hasContent(key: string, value: unknown): boolean {
  if (key === '_type' || /(?:count|_at|[a-z]At|[_ ]?date)$/i.test(key)) return false;
  if (NO_CONTENT.has(key.toLowerCase().replace(/[^a-z]/g, ''))) return false;
  return !(typeof value === 'string' && TIME.test(value.trim()));
}

const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?)?$/;

const ADDRESS = /\b(?!git@)[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;

/** No prompt and no comment holds the mail address of a person. */
export const withoutAddresses = (text: string): string => text.replace(ADDRESS, '(address)');

/** The name of an author; null for an address or an empty name. */
export function authorName(value: string | null): string | null {
  const name = (value ?? '')
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return name === '' || withoutAddresses(name) !== name ? null : name.slice(0, 100);
}

const COMMIT =
  /^(?:step|task)?[\s\d.:)-]*(?:git (?:add|commit|push)\b|commit(?:$|\s*[:.(]|\s+(?:and|the|your|all|with|it|this|changes|everything|work|to)\b))/i;

/** A step or criterion that contradicts the rule that Ralph commits. */
export const saysCommit = (text: string): boolean => COMMIT.test(text.replace(/[*_`~]/g, '').trim());
