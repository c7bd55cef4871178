// Guesses what a repository produces from its dependencies and its layout.
import type { Repository } from './repository.ts';

export type ProjectKind = 'server' | 'library' | 'command';

const NODE_SERVERS =
  /^(express|fastify|koa|hono|h3|restify|@nestjs\/core|@hapi\/hapi|@apollo\/server|graphql-yoga|@trpc\/server|socket\.io)$/;
const NODE_SITES = /^(next|nuxt|astro|@remix-run\/react|@sveltejs\/kit)$/;

/** Frameworks by the files that name them. */
const SERVERS: readonly (readonly [files: readonly string[], framework: RegExp])[] = [
  [
    ['pyproject.toml', 'requirements.txt', 'setup.cfg', 'Pipfile'],
    /\b(django|flask|fastapi|starlette|aiohttp|tornado|sanic)\b/i,
  ],
  [['Cargo.toml'], /^(axum|actix-web|rocket|warp|tonic|hyper|poem)\b/m],
  [
    ['go.mod'],
    /(gin-gonic\/gin|labstack\/echo|gofiber\/fiber|go-chi\/chi|gorilla\/mux|google\.golang\.org\/grpc)/,
  ],
  [['Gemfile'], /\b(rails|sinatra|hanami|grape)\b/],
  [['composer.json'], /"(laravel\/framework|symfony\/framework-bundle|slim\/slim)"/],
  [['pom.xml', 'build.gradle', 'build.gradle.kts'], /spring-boot|quarkus|micronaut|jakarta\.ws|vertx/],
  [['mix.exs'], /:phoenix\b/],
];
const SERVER_PLACES = ['manage.py', 'config.ru', 'bin/rails', 'Procfile', 'migrations', 'prisma', 'db'];

/** A repository may be of several kinds; the set is empty if nothing shows its kind. */
export function projectKinds(repository: Repository): Set<ProjectKind> {
  const kinds = new Set<ProjectKind>();
  if (isServer(repository)) kinds.add('server');
  else if (isLibrary(repository)) kinds.add('library');
  if (hasCommand(repository)) kinds.add('command');
  return kinds;
}

function isServer({ has, text, packageJson, workspaces }: Repository): boolean {
  // Development dependencies say nothing: the tests of a middleware need a server too.
  const runtime = [packageJson, ...workspaces().map((one) => one.packageJson)].flatMap((one) => [
    ...one.runtime,
  ]);
  return (
    has(...SERVER_PLACES) ||
    runtime.some((name) => NODE_SERVERS.test(name) || NODE_SITES.test(name)) ||
    SERVERS.some(([files, framework]) =>
      files.some((file) => framework.test(dependenciesIn(file, text(file)))),
    )
  );
}

/** Drops the project's own name and description: a framework names itself there, but is no server. */
const dependenciesIn = (file: string, text: string): string =>
  file === 'pyproject.toml' ? text.replace(/^(name|description|keywords)\s*=.*$/gm, '') : text;

function isLibrary({ has, text, names, packageJson, workspaces }: Repository): boolean {
  return (
    packageJson.isLibrary ||
    workspaces().some((one) => one.packageJson.isLibrary) ||
    /^\[project\]|^\[tool\.poetry\]/m.test(text('pyproject.toml')) ||
    has('setup.py', 'src/lib.rs') ||
    (has('go.mod') && !has('main.go', 'cmd')) ||
    /"type"\s*:\s*"library"/.test(text('composer.json')) ||
    names.some((name) => name.endsWith('.gemspec'))
  );
}

const hasCommand = ({ text, packageJson, workspaces }: Repository): boolean =>
  packageJson.hasCommand ||
  workspaces().some((one) => one.packageJson.hasCommand) ||
  /^\[project\.scripts\]|^\[tool\.poetry\.scripts\]/m.test(text('pyproject.toml')) ||
  text('setup.py').includes('console_scripts') ||
  /\bclap\b/.test(text('Cargo.toml')) ||
  /spf13\/cobra|urfave\/cli/.test(text('go.mod'));
