import { expect, it } from 'vitest';
import { findPage, MAIN_PAGES, PAGE_IDS } from '../../src/domain/dashboard-pages.ts';

it('every page in the navigation is found at its own address, and has a key of its own', () => {
  expect(MAIN_PAGES.length).toBeGreaterThan(1);
  for (const { id, href } of MAIN_PAGES) expect(findPage(href)).toEqual({ id, name: '' });
  expect(new Set(MAIN_PAGES.map(({ key }) => key)).size).toBe(MAIN_PAGES.length);
  expect(new Set(PAGE_IDS).size).toBe(PAGE_IDS.length);
});

it('a page of one task, session or run is found with its name, and other addresses belong to no page', () => {
  expect(findPage('/tasks/7')).toEqual({ id: 'task', name: '7' });
  expect(findPage('/sessions/aa-1')).toEqual({ id: 'session', name: 'aa-1' });
  expect(findPage('/runs/3')).toEqual({ id: 'run', name: '3' });
  for (const path of ['/tasks/x', '/tasks/', '/tasks/7/8', '/runs/a', '/nonsense', ''])
    expect(findPage(path)).toBeNull();
});
