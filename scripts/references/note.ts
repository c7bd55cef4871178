export const NOTE = '<!-- Made from the code by `npm run references`; change it there. -->';
