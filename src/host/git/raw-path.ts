// File names are bytes and need not be UTF-8. A raw path holds one character per byte, so that git gets back the same name.

export const pathBytes = (raw: string): Buffer => Buffer.from(raw, 'latin1');

/** For people, and for text that Ralph stores. */
export const pathText = (raw: string): string => pathBytes(raw).toString('utf8');

export const rawPath = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Whether the path is one of Ralph's own files, of this project or of another one in the same repository. */
export const isRalphs = (raw: string): boolean => /(^|\/)\.ralph\//.test(raw);
