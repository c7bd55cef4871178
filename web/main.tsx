import { render } from 'preact';
import { App } from './app.tsx';
import { stayConnected } from './live.ts';
import { loadAllPages } from './page-loader.ts';

const root = document.querySelector('#app');
if (root !== null) render(<App />, root);
void stayConnected();
loadAllPages();
