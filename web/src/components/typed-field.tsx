import { useTyped } from '../lib/typed'
import { TextField } from './ui/field'

/** A search field whose text counts after a pause in typing. */
export function TypedField({ label, value, onType }: { label: string; value: string; onType(text: string): void }) {
  const [typed, setTyped] = useTyped(value, onType)
  return (
    <TextField
      label={label}
      isLabelHidden
      type="search"
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
