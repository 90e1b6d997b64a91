interface TickProps {
  label: string
  is: boolean
  onIs(is: boolean): void
  /** Uses the small font of secondary text. */
  isSmall?: boolean
}

/** A labelled checkbox. */
export const Tick = ({ label, is, onIs, isSmall = false }: TickProps) => (
  <label className={`flex items-center gap-2 max-md:min-h-9 ${isSmall ? 'text-xs text-ink-2' : 'text-sm'}`}>
    <input type="checkbox" checked={is} onChange={(event) => onIs(event.target.checked)} className="accent-accent" />
    {label}
  </label>
)
