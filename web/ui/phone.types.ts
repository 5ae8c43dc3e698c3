/** What a phone input holds: the country chosen ('' while none is) and the number as it was typed. */
export interface PhoneValue {
  country: string;
  number: string;
}

/** The parts of a number as they travel. */
export interface PhoneWire {
  phonenum: string;
  phone_country_code: string;
  phone_country_calling_code: string;
}
