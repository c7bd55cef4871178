// What the build and the browser both know of the search.

export type Section = { id: string; page: string; heading: string; text: string; start: string };

/** The result of a search: the stored fields, and where the section is. */
export type SearchResult = Pick<Section, 'id' | 'page' | 'heading' | 'start'>;

export const SEARCH_OPTIONS = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['page', 'heading', 'start'],
  searchOptions: { boost: { heading: 3, page: 2 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' as const },
};
