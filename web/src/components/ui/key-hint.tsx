/** Keys as they stand on a keyboard: `g h`, `?`. */
export function KeyHint({ keys }: { keys: string }) {
  const isMac = /mac|iphone|ipad/i.test(navigator.platform)
  return (
    <span className="inline-flex gap-0.5 max-md:hidden" aria-hidden>
      {keys.split(' ').map((key) => (
        <kbd
          key={key}
          className="min-w-4 rounded-sm border border-line bg-sunken px-1 text-center font-mono text-2xs text-ink-2"
        >
          {key.replace('Mod+', isMac ? '⌘' : 'Ctrl ').replace('Arrow', '')}
        </kbd>
      ))}
    </span>
  )
}
