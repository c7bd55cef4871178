import { Dialog } from './dialog.tsx';
import { Text } from './labels.tsx';

type Props = { title: string; question: string; yes: string; onYes: () => void; onClose: () => void };

/** For actions that no single click takes back. */
export const Confirm = ({ title, question, yes, onYes, onClose }: Props) => (
  <Dialog title={title} onClose={onClose}>
    <p>
      <Text>{question}</Text>
    </p>
    <div class="buttons">
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      <button
        type="button"
        class="danger"
        onClick={() => {
          onClose();
          onYes();
        }}
      >
        {yes}
      </button>
    </div>
  </Dialog>
);
