interface ChoicesProps<Choice extends string> {
  /** Name of the group for assistive technology. */
  label: string
  /** Choices with their names; `undefined` means no choice. */
  choices: readonly (readonly [choice: Choice | undefined, name: string])[]
  chosen: Choice | undefined
  onChoose(choice: Choice | undefined): void
}

/** Chooses one of a few values, all of which are visible. */
export function Choices<Choice extends string>({ label, choices, chosen, onChoose }: ChoicesProps<Choice>) {
  return (
    <fieldset className="flex rounded border border-line bg-panel p-px max-sm:w-full">
      <legend className="sr-only">{label}</legend>
      {choices.map(([choice, name]) => (
        <button
          key={name}
          type="button"
          aria-pressed={choice === chosen}
          onClick={() => onChoose(choice)}
          className="h-6.5 first-letter:uppercase whitespace-nowrap rounded-sm px-2 text-xs text-ink-2 hover:bg-hover hover:text-ink aria-pressed:font-semibold aria-pressed:text-ink aria-pressed:tint-accent max-md:h-9 max-sm:flex-auto max-sm:px-1"
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}
