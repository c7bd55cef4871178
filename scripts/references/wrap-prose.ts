// Generated pages are read as text, too: prose has at most 100 columns, like the pages that people write.
const COLUMNS = 100;

/** Wraps every line that is too long. Tables and blocks of code stay as they are. */
export function wrapProse(markdown: string): string {
  let isCode = false;
  return markdown
    .split('\n')
    .map((line) => {
      const isFence = line.startsWith('```');
      if (isFence) isCode = !isCode;
      return isFence || isCode || line.startsWith('|') || line.length <= COLUMNS ? line : wrapLine(line);
    })
    .join('\n');
}

function wrapLine(line: string): string {
  const indent = line.startsWith('- ') ? '  ' : '';
  const lines: string[] = [];
  let current = '';
  for (const word of line.match(WORDS) ?? []) {
    if (current === '') current = word;
    else if (current.length + 1 + word.length <= COLUMNS) current += ` ${word}`;
    else {
      lines.push(current);
      current = indent + word;
    }
  }
  return [...lines, current].join('\n');
}

// A code span stays on one line, so that it can be found and copied.
const WORDS = /(?:`[^`]*`|\S)+/g;
