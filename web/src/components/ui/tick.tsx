interface TickProps {
  label: string
  is: boolean
  onIs(is: boolean): void
  /** As small as what stands beside the thing itself. */
  isSmall?: boolean
}

/** What is so or not. */
export const Tick = ({ label, is, onIs, isSmall = false }: TickProps) => (
  <label className={`flex items-center gap-2 max-md:min-h-9 ${isSmall ? 'text-xs text-ink-2' : 'text-sm'}`}>
    <input type="checkbox" checked={is} onChange={(event) => onIs(event.target.checked)} className="accent-accent" />
    {label}
  </label>
)
