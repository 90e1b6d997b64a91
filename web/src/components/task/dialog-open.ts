/** While a dialog is open the keys of the page below it rest. */
export const isDialogOpen = (): boolean => document.querySelector('dialog[open]') !== null
