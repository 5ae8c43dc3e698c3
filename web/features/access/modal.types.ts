/** How the profile menu opens and closes what it has. */
export interface MenuModal {
  opened: boolean;
  onClose: () => void;
}
