// What somebody may write where a title is wanted, in the hope that it becomes more than text.
import { MAX_TITLE } from '../../src/domain/text/text.ts';

export const HOSTILE_TEXTS = [
  '</title></text><script>alert(1)</script>',
  '" onload="alert(1)" x="',
  "'&amp;&lt;&#60;&nbsp;",
  ']]><![CDATA[ <!-- --> <?xml ?>',
  '"]; click t1 href "javascript:alert(1)"',
  '`**bold**` #quot; #35; #x; ;;; %%{init: {}}%% $$x$$ \\n <br/>',
  'A --> B direction TB direction  LR end subgraph x',
  'style a:#fff; classDef b:#000;',
  'ﬂ°°60¶ß ﬂ°lt¶ß Straße',
  '\u001b[2J\u202eevil\u2066\u200b\u0007\ufeff\u00ad',
  '1. - # > | fa:fa-ban @{ shape: x } :::critical',
  '名前 🏳️‍🌈 עברית ｆ',
  '\ufffe\uffff',
  'x'.repeat(MAX_TITLE),
];
