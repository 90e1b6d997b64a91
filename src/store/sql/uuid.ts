/** A uuid's 16 bytes; `undefined` when `text` is none (any case, with or without hyphens). */
export function uuidBytes(text: string): Uint8Array | undefined {
  const hex = text.replaceAll('-', '')
  return /^[0-9a-fA-F]{32}$/.test(hex) ? Uint8Array.fromHex(hex) : undefined
}

/** The canonical lower-case form of 16 bytes. */
export function uuidText(bytes: Uint8Array): string {
  const hex = bytes.toHex()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
