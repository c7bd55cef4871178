// Maps families of resources to MCP; no other file does.
import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server';
import { Refusal, Unusable } from '../domain/refusal.ts';
import { maskJson } from '../domain/secrets/mask-secrets.ts';
import type { ListedResource, ResourceFamily, Scope, Variables } from '../resources/resource.ts';
import type { Backend, Binding } from './binding.ts';
import { explain } from './explain.ts';
import { loadParts } from './load-parts.ts';
import type { Watch } from './watch.ts';

const MARKDOWN = 'text/markdown';
/** In the older protocol a connection has one set of subscriptions. */
const CONNECTION = 'connection';
const PAGE = 100;
/** Per family; a client reaches the rest by the template. */
const MAX_LISTED = 300;

export function serveResources(server: Server, binding: Binding, watch: Watch): void {
  server.setRequestHandler('resources/list', async ({ params }) => {
    try {
      await watch.expectLists();
      const backend = await binding.backend();
      return await listPage(await families(), backend, await findScope(binding, backend), params?.cursor);
    } catch (error) {
      throw protocolError(binding, error);
    }
  });
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: (await families())
      .filter(isTemplate)
      .map(({ name, title, description, uri, mimeType }) => ({
        name,
        title,
        description,
        uriTemplate: uri,
        ...(mimeType === undefined && { mimeType: MARKDOWN }),
      })),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    try {
      return await read(await requireFamily(uri), await binding.backend(), uri);
    } catch (error) {
      throw protocolError(binding, error);
    }
  });
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    try {
      // Reading it refuses a subscription to a resource that does not exist.
      await read(await requireFamily(uri), await binding.backend(), uri);
      await watch.subscribe([uri], CONNECTION);
      return {};
    } catch (error) {
      throw protocolError(binding, error);
    }
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    watch.release(CONNECTION, uri);
    return {};
  });
}

async function findScope({ session_id, recipe }: Binding, { queue }: Backend): Promise<Scope> {
  if (session_id === null) return null;
  const { RECIPES, showSession, show } = await loadParts();
  // A planning session sees everything.
  if (recipe !== null && RECIPES[recipe].subject !== 'task') return null;
  const { feature, discipline, id } = await show(
    queue,
    (await showSession(queue, session_id)).session.task_id,
  );
  return { task_id: id, feature, discipline };
}

const families = async (): Promise<readonly ResourceFamily[]> => (await loadParts()).RESOURCES;

const isTemplate = ({ uri }: ResourceFamily): boolean => uri.includes('{');

export type MatchedResource = { family: ResourceFamily; variables: Variables };

export async function findFamily(uri: string): Promise<MatchedResource | null> {
  const { matchUri } = await loadParts();
  for (const family of await families()) {
    const variables = matchUri(family.uri, uri);
    if (variables !== null) return { family, variables };
  }
  return null;
}

async function requireFamily(uri: string): Promise<MatchedResource> {
  const found = await findFamily(uri);
  if (found === null)
    throw new ResourceNotFoundError(uri, 'There is no such resource; resources/list has those there are.');
  return found;
}

async function read(
  { family, variables }: MatchedResource,
  backend: Backend,
  uri: string,
): Promise<ReadResourceResult> {
  try {
    const { text, mimeType = MARKDOWN } = await family.read(backend, variables);
    return { contents: [{ uri, mimeType, text: maskJson(text, backend.queue.mask) }] };
  } catch (error) {
    if (error instanceof Refusal && !(error instanceof Unusable))
      throw new ResourceNotFoundError(uri, error.message);
    throw error;
  }
}

function protocolError(binding: Binding, error: unknown): ProtocolError {
  if (error instanceof ResourceNotFoundError)
    return new ResourceNotFoundError(error.uri, binding.mask(error.message));
  if (error instanceof ProtocolError) return error;
  return new ProtocolError(ProtocolErrorCode.InternalError, explain(binding, error));
}

type PagePosition = { family: number; shown: number; key: string | null };

/** A page starts after the last page's key, not at a count: members may come and go between two pages. */
async function listPage(
  all: readonly ResourceFamily[],
  backend: Backend,
  scope: Scope,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const resources: ListResourcesResult['resources'] = [];
  const from = cursor === undefined ? { family: 0, shown: 0, key: null } : readCursor(cursor);
  for (
    let place = from;
    place.family < all.length;
    place = { family: place.family + 1, shown: 0, key: null }
  ) {
    const family = all[place.family];
    if (family === undefined) break;
    const limit = Math.min(PAGE - resources.length, MAX_LISTED - place.shown);
    const listed = await members(family, backend, place.key, limit, scope);
    resources.push(...listed.map((one) => toMcp(family, one)));
    const shown = place.shown + listed.length;
    const last = listed.at(-1);
    if (resources.length >= PAGE && last !== undefined)
      return { resources, nextCursor: writeCursor({ family: place.family, shown, key: last.key }) };
  }
  return { resources };
}

async function members(
  family: ResourceFamily,
  backend: Backend,
  after: string | null,
  limit: number,
  scope: Scope,
): Promise<ListedResource[]> {
  if (limit <= 0) return [];
  if (family.list !== undefined) return family.list(backend, after, limit, scope);
  const { uri, title, description } = family;
  return isTemplate(family) || after !== null ? [] : [{ key: uri, uri, title, description }];
}

const toMcp = (
  { name }: ResourceFamily,
  { key, uri, title, description, mimeType = MARKDOWN }: ListedResource,
) => ({
  uri,
  name: key === uri ? name : `${name}: ${key.replace('\n', ' ')}`,
  title,
  description,
  mimeType,
});

const writeCursor = ({ family, shown, key }: PagePosition): string =>
  Buffer.from(JSON.stringify([family, shown, key])).toString('base64url');

function readCursor(cursor: string): PagePosition {
  try {
    const [family, shown, key]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (isCount(family) && isCount(shown) && typeof key === 'string') return { family, shown, key };
  } catch {
    // Refused below, like any other invalid cursor.
  }
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'This cursor was not given by resources/list; begin without one.',
  );
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;
