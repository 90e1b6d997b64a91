interface ChoicesProps<Choice extends string> {
  /** What is chosen, for those who don't see it stand beside the rest. */
  label: string
  /** The first is none of the others. */
  choices: readonly (readonly [choice: Choice | undefined, name: string])[]
  chosen: Choice | undefined
  onChoose(choice: Choice | undefined): void
}

/** One of a few, all in view. */
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
          className="h-6.5 whitespace-nowrap rounded-sm px-2 text-xs text-ink-2 hover:bg-hover hover:text-ink aria-pressed:font-semibold aria-pressed:text-ink aria-pressed:tint-accent max-md:h-9 max-sm:flex-1 max-sm:px-1"
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}
