// A real Chromium that needs nothing but npm: unpacked into a folder of its own, or the machine's own where there is one.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

export type BrowserPlace = { executable: string; env: Record<string, string> };

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export async function unpackBrowser(folder: string): Promise<BrowserPlace> {
  const own = INSTALLED.find((path) => existsSync(path));
  if (own !== undefined) return { executable: own, env: {} };
  const place = join(folder, 'browser');
  await mkdir(place, { recursive: true });
  const before = { ...process.env };
  // It unpacks where the system keeps passing files, and brings the libraries that it needs only to a machine of this name.
  process.env['TMPDIR'] = place;
  process.env['AWS_EXECUTION_ENV'] = 'AWS_Lambda_nodejs20.x';
  try {
    const { default: packed } = await import('@sparticuz/chromium');
    const executable = await packed.executablePath();
    const { LD_LIBRARY_PATH = '' } = process.env;
    return { executable, env: { LD_LIBRARY_PATH, FONTCONFIG_FILE: await nameFonts(place) } };
  } finally {
    // One by one: an object put in place of `process.env` leaves the variables as they are for what reads them natively.
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

/** It would look for its fonts in fixed places, where they are not; and a browser without any font crashes. */
async function nameFonts(place: string): Promise<string> {
  const file = join(place, 'fonts.conf');
  const lines = [
    `<dir>${join(place, 'fonts')}</dir>`,
    `<cachedir>${join(place, 'fonts-cache')}</cachedir>`,
    '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>',
  ];
  await writeFile(file, `<?xml version="1.0"?><fontconfig>${lines.join('')}</fontconfig>\n`);
  return file;
}

/** Its sandbox needs rights that a container does not give; what it loads is ours. */
export const startBrowser = (
  { executable, env }: BrowserPlace,
  home: string,
  ...more: string[]
): Promise<Browser> =>
  chromium.launch({
    executablePath: executable,
    // Without a GPU to draw with, one more process would only pretend to be one.
    args: ['--no-sandbox', '--disable-gpu', ...more],
    env: { ...env, HOME: home },
  });
