/** As people call it, without the maker and the date. */
export const modelName = (model: string): string => model.replace(/^claude-/, '').replace(/-\d{8}$/, '');
