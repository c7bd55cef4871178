import { signal } from '@preact/signals';
import { shortcuts } from '../keys.ts';
import { Dialog } from './dialog.tsx';

const isListing = signal(false);

export function listKeys(): void {
  isListing.value = true;
}

function hideKeys(): void {
  isListing.value = false;
}

export function KeysOverlay() {
  if (!isListing.value) return null;
  return (
    <Dialog title="Keys" onClose={hideKeys}>
      <dl class="keys">
        {shortcuts().map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
